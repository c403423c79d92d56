// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SafeTransferLib} from "solady/utils/SafeTransferLib.sol";

/// @notice Makes only the payments of a fee stage. It has no access control.
contract BarePayer {
    struct Payment {
        address asset;
        address to;
        uint256 amount;
    }

    receive() external payable {}

    /// @notice Pays from its own balance. The zero address as asset means native.
    function pay(Payment[] calldata payments) external {
        for (uint256 i; i < payments.length; ++i) {
            Payment calldata payment = payments[i];
            if (payment.asset == address(0)) SafeTransferLib.safeTransferETH(payment.to, payment.amount);
            else SafeTransferLib.safeTransfer(payment.asset, payment.to, payment.amount);
        }
    }

    /// @notice Transfers a token by allowance and sends native in exchange.
    function exchange(address token, address from, address to, uint256 tokenAmount, uint256 nativeAmount) external {
        SafeTransferLib.safeTransferFrom(token, from, to, tokenAmount);
        SafeTransferLib.safeTransferETH(from, nativeAmount);
    }

    /// @notice Like `exchange`, after the encoded call of the token's `permit`.
    function exchangeWithPermit(
        address token,
        address from,
        address to,
        uint256 tokenAmount,
        uint256 nativeAmount,
        bytes calldata permitCall
    ) external {
        (bool success,) = token.call(permitCall);
        require(success, "permit");
        SafeTransferLib.safeTransferFrom(token, from, to, tokenAmount);
        SafeTransferLib.safeTransferETH(from, nativeAmount);
    }
}

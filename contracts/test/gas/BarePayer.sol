// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SafeTransferLib} from "solady/utils/SafeTransferLib.sol";

/// @notice Makes the payments that a stage has to make, and nothing else; anybody could empty it.
contract BarePayer {
    struct Payment {
        address asset;
        address to;
        uint256 amount;
    }

    receive() external payable {}

    /// @notice Pays from what it holds; the zero address as asset is native.
    function pay(Payment[] calldata payments) external {
        for (uint256 i; i < payments.length; ++i) {
            Payment calldata payment = payments[i];
            if (payment.asset == address(0)) SafeTransferLib.safeTransferETH(payment.to, payment.amount);
            else SafeTransferLib.safeTransfer(payment.asset, payment.to, payment.amount);
        }
    }

    /// @notice Takes a token by allowance and sends native for it.
    function exchange(address token, address from, address to, uint256 tokenAmount, uint256 nativeAmount) external {
        SafeTransferLib.safeTransferFrom(token, from, to, tokenAmount);
        SafeTransferLib.safeTransferETH(from, nativeAmount);
    }

    /// @notice Likewise after the token's own `permit`, whose call is given as it is.
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

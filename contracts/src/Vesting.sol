// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {FixedPointMathLib} from "solady/utils/FixedPointMathLib.sol";
import {ReentrancyGuardTransient} from "solady/utils/ReentrancyGuardTransient.sol";
import {SafeTransferLib} from "solady/utils/SafeTransferLib.sol";

import {IVesting} from "./interfaces/IVesting.sol";
import {SplitterClone} from "./libraries/SplitterClone.sol";
import {TokenTransfer} from "./libraries/TokenTransfer.sol";

/// @title Vesting
/// @notice The implementation that every vesting delegates to. It has no terms itself.
contract Vesting is IVesting, ReentrancyGuardTransient {
    /// @dev The proxy, and the terms: beneficiary (20 bytes), cliff (5), end (5).
    uint256 private constant CODE_LENGTH = SplitterClone.PROXY_LENGTH + 30;

    /// @inheritdoc IVesting
    mapping(address token => uint256) public released;

    /// @inheritdoc IVesting
    /// @dev Guarded against re-entry: a token that makes an external call before it updates its balances would otherwise
    /// count the amount twice, as released and as balance.
    function release(address token) external nonReentrant returns (uint256 amount) {
        amount = releasable(token);
        if (amount == 0) return 0;
        released[token] += amount;
        address to = beneficiary();
        if (!TokenTransfer.trySend(token, to, amount)) revert Vesting_TransferFailed(token, to, amount);
        emit Released(token, amount);
    }

    /// @inheritdoc IVesting
    /// @dev Zero if the balance has shrunk below what keeps the released amount vested.
    function releasable(address token) public view returns (uint256) {
        return FixedPointMathLib.zeroFloorSub(vested(token), released[token]);
    }

    /// @inheritdoc IVesting
    function vested(address token) public view returns (uint256) {
        (, uint40 cliff_, uint40 end_) = _terms();
        if (block.timestamp <= cliff_) return 0;
        uint256 received = SafeTransferLib.balanceOf(token, address(this)) + released[token];
        if (block.timestamp >= end_) return received;
        // With 512 bits, so that no amount is locked before the end because of its size.
        return FixedPointMathLib.fullMulDiv(received, block.timestamp - cliff_, end_ - cliff_);
    }

    /// @inheritdoc IVesting
    function beneficiary() public view returns (address account) {
        (account,,) = _terms();
    }

    /// @inheritdoc IVesting
    function cliff() external view returns (uint40 date) {
        (, date,) = _terms();
    }

    /// @inheritdoc IVesting
    function end() external view returns (uint40 date) {
        (,, date) = _terms();
    }

    /// @dev The code behind the proxy. The implementation itself has no terms: its code has another length.
    function _terms() private view returns (address beneficiary_, uint40 cliff_, uint40 end_) {
        if (address(this).code.length != CODE_LENGTH) revert Vesting_NotClone();
        uint256 start = SplitterClone.PROXY_LENGTH;
        assembly ("memory-safe") {
            // Behind the end of the code are zeros.
            extcodecopy(address(), 0, start, 32)
            let word := mload(0)
            beneficiary_ := shr(96, word)
            cliff_ := and(shr(56, word), 0xffffffffff)
            end_ := and(shr(16, word), 0xffffffffff)
        }
    }

    /// @dev Uses transient storage on every chain, not only on Ethereum.
    function _useTransientReentrancyGuardOnlyOnMainnet() internal pure override returns (bool) {
        return false;
    }
}

// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ReentrancyGuardTransient} from "solady/utils/ReentrancyGuardTransient.sol";
import {SafeTransferLib} from "solady/utils/SafeTransferLib.sol";
import {SSTORE2} from "solady/utils/SSTORE2.sol";

import {IFeeSplitter} from "./interfaces/IFeeSplitter.sol";

/// @title FeeSplitter
/// @dev A payee's claim is its share of the total amount received (balance + released) minus the amount already paid to
/// it. The share applies to the cumulative amount, so that rounding does not accumulate over many small receipts.
contract FeeSplitter is IFeeSplitter, ReentrancyGuardTransient {
    /*//////////////////////////////////////////////////////////////
                                CONSTANTS
    //////////////////////////////////////////////////////////////*/

    uint256 private constant MAX_PAYEES = 20;
    uint256 private constant TOTAL_SHARES = 10_000;

    /// @dev Bytes of one allocation in the data contract: payee (20), share (2).
    uint256 private constant ENTRY_LENGTH = 22;

    address private constant NATIVE = address(0);

    /*//////////////////////////////////////////////////////////////
                                 STORAGE
    //////////////////////////////////////////////////////////////*/

    /// @dev Address of the data contract whose code holds the allocations: cheaper than storage, and immutable.
    address private immutable _ALLOCATIONS;

    /// @inheritdoc IFeeSplitter
    mapping(address asset => uint256) public totalReleased;

    /// @inheritdoc IFeeSplitter
    mapping(address asset => mapping(address payee => uint256)) public released;

    /*//////////////////////////////////////////////////////////////
                               CONSTRUCTOR
    //////////////////////////////////////////////////////////////*/

    constructor(address[] memory payees, uint16[] memory shares) {
        uint256 count = payees.length;
        if (count == 0 || count > MAX_PAYEES || count != shares.length) {
            revert FeeSplitter_InvalidCount(count, shares.length);
        }
        bytes memory entries;
        uint256 sum;
        for (uint256 i; i < count; ++i) {
            address payee = payees[i];
            uint16 share = shares[i];
            if (payee == address(0) || payee == address(this)) revert FeeSplitter_InvalidPayee(i, payee);
            if (share == 0) revert FeeSplitter_InvalidShare(i, share);
            for (uint256 j; j < i; ++j) {
                if (payees[j] == payee) revert FeeSplitter_DuplicatePayee(payee);
            }
            entries = abi.encodePacked(entries, payee, share);
            sum += share;
        }
        if (sum != TOTAL_SHARES) revert FeeSplitter_SharesNot10000(sum);
        _ALLOCATIONS = SSTORE2.write(entries);
        emit SplitterCreated(payees, shares);
    }

    receive() external payable {
        emit NativeReceived(msg.sender, msg.value);
    }

    /*//////////////////////////////////////////////////////////////
                                 RELEASE
    //////////////////////////////////////////////////////////////*/

    /// @inheritdoc IFeeSplitter
    /// @dev Guarded against re-entry: an asset that makes an external call before it updates its balances would
    /// otherwise let another payee claim an amount that has already been released.
    function release(address[] calldata assets, address payee)
        external
        nonReentrant
        returns (uint256[] memory amounts)
    {
        uint256 share = shareOf(payee);
        if (share == 0) revert FeeSplitter_NotPayee(payee);
        amounts = new uint256[](assets.length);
        for (uint256 i; i < assets.length; ++i) {
            amounts[i] = _release(assets[i], payee, share);
        }
    }

    /*//////////////////////////////////////////////////////////////
                                  VIEWS
    //////////////////////////////////////////////////////////////*/

    /// @inheritdoc IFeeSplitter
    function claimable(address asset, address payee) external view returns (uint256) {
        return _claimable(asset, payee, shareOf(payee));
    }

    /// @inheritdoc IFeeSplitter
    function allocations() external view returns (address[] memory payees, uint16[] memory shares) {
        bytes memory entries = SSTORE2.read(_ALLOCATIONS);
        uint256 count = entries.length / ENTRY_LENGTH;
        payees = new address[](count);
        shares = new uint16[](count);
        for (uint256 i; i < count; ++i) {
            (payees[i], shares[i]) = _entry(entries, i);
        }
    }

    /// @inheritdoc IFeeSplitter
    function shareOf(address account) public view returns (uint16) {
        bytes memory entries = SSTORE2.read(_ALLOCATIONS);
        uint256 count = entries.length / ENTRY_LENGTH;
        for (uint256 i; i < count; ++i) {
            (address payee, uint16 share) = _entry(entries, i);
            if (payee == account) return share;
        }
        return 0;
    }

    /*//////////////////////////////////////////////////////////////
                                INTERNALS
    //////////////////////////////////////////////////////////////*/

    function _release(address asset, address payee, uint256 share) private returns (uint256 amount) {
        amount = _claimable(asset, payee, share);
        if (amount == 0) return 0;
        totalReleased[asset] += amount;
        released[asset][payee] += amount;
        bool paid = asset == NATIVE ? _sendNative(payee, amount) : _sendToken(asset, payee, amount);
        if (!paid) revert FeeSplitter_TransferFailed(asset, payee, amount);
        emit Released(asset, payee, amount);
    }

    /// @dev Zero if the payee has received more than its share, which is possible for an asset whose balances shrink.
    function _claimable(address asset, address payee, uint256 share) private view returns (uint256) {
        uint256 balance =
            asset == NATIVE ? address(this).balance : SafeTransferLib.balanceOf(asset, address(this));
        uint256 entitled = (balance + totalReleased[asset]) * share / TOTAL_SHARES;
        uint256 paid = released[asset][payee];
        return entitled > paid ? entitled - paid : 0;
    }

    /// @dev Copies no return data, so that a payee cannot make the caller pay for memory expansion.
    function _sendNative(address to, uint256 amount) private returns (bool) {
        return SafeTransferLib.trySafeTransferETH(to, amount, gasleft());
    }

    /// @dev A missing return value means success; any value other than true means failure. Copies at most one word.
    function _sendToken(address token, address to, uint256 amount) private returns (bool success) {
        if (token.code.length == 0) return false;
        bytes memory data = abi.encodeWithSignature("transfer(address,uint256)", to, amount);
        uint256 length;
        uint256 result;
        assembly ("memory-safe") {
            success := call(gas(), token, 0, add(data, 32), mload(data), 0, 32)
            length := returndatasize()
            result := mload(0)
        }
        return success && (length == 0 || (length >= 32 && result == 1));
    }

    function _entry(bytes memory entries, uint256 index) private pure returns (address payee, uint16 share) {
        assembly ("memory-safe") {
            let word := mload(add(add(entries, 32), mul(index, ENTRY_LENGTH)))
            payee := shr(96, word)
            share := and(shr(80, word), 0xffff)
        }
    }

    /// @dev Uses transient storage on every chain, not only on Ethereum.
    function _useTransientReentrancyGuardOnlyOnMainnet() internal pure override returns (bool) {
        return false;
    }
}

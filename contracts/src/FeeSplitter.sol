// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ReentrancyGuardTransient} from "solady/utils/ReentrancyGuardTransient.sol";
import {SafeTransferLib} from "solady/utils/SafeTransferLib.sol";
import {SSTORE2} from "solady/utils/SSTORE2.sol";

import {IFeeSplitter} from "./interfaces/IFeeSplitter.sol";

/// @title FeeSplitter
/// @dev A payee's claim is its share of everything ever received (balance + released), less what it was paid. Because
/// the share is taken of the cumulative amount, many tiny receipts starve nobody.
contract FeeSplitter is IFeeSplitter, ReentrancyGuardTransient {
    /*//////////////////////////////////////////////////////////////
                                CONSTANTS
    //////////////////////////////////////////////////////////////*/

    uint256 private constant MAX_PAYEES = 20;
    uint256 private constant TOTAL_SHARES = 10_000;

    /// @dev One allocation in the data contract: 20 bytes of payee, 2 bytes of share.
    uint256 private constant ENTRY_LENGTH = 22;

    address private constant NATIVE = address(0);

    /*//////////////////////////////////////////////////////////////
                                 STORAGE
    //////////////////////////////////////////////////////////////*/

    /// @dev The allocations lie in the code of a data contract: cheaper than storage, and nothing can change them.
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
    /// @dev Guarded, because an asset that calls out before it moves its balance would otherwise show another payee a
    /// receipt that is not there.
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

    /// @dev Saturates at zero: an asset whose balances shrink can leave a payee paid above its share.
    function _claimable(address asset, address payee, uint256 share) private view returns (uint256) {
        uint256 balance =
            asset == NATIVE ? address(this).balance : SafeTransferLib.balanceOf(asset, address(this));
        uint256 entitled = (balance + totalReleased[asset]) * share / TOTAL_SHARES;
        uint256 paid = released[asset][payee];
        return entitled > paid ? entitled - paid : 0;
    }

    /// @dev Copies no return data, so that a payee cannot make the caller pay for its memory.
    function _sendNative(address to, uint256 amount) private returns (bool) {
        return SafeTransferLib.trySafeTransferETH(to, amount, gasleft());
    }

    /// @dev Takes a missing return value for success, any but true for failure. Copies at most a word of it.
    function _sendToken(address token, address to, uint256 amount) private returns (bool success) {
        if (token.code.length == 0) return false;
        bytes memory data = abi.encodeWithSignature("transfer(address,uint256)", to, amount);
        uint256 length;
        uint256 answer;
        assembly ("memory-safe") {
            success := call(gas(), token, 0, add(data, 32), mload(data), 0, 32)
            length := returndatasize()
            answer := mload(0)
        }
        return success && (length == 0 || (length >= 32 && answer == 1));
    }

    function _entry(bytes memory entries, uint256 index) private pure returns (address payee, uint16 share) {
        assembly ("memory-safe") {
            let word := mload(add(add(entries, 32), mul(index, ENTRY_LENGTH)))
            payee := shr(96, word)
            share := and(shr(80, word), 0xffff)
        }
    }

    /// @dev Transient storage on every chain, not on Ethereum alone.
    function _useTransientReentrancyGuardOnlyOnMainnet() internal pure override returns (bool) {
        return false;
    }
}

// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ReentrancyGuardTransient} from "solady/utils/ReentrancyGuardTransient.sol";
import {SafeCastLib} from "solady/utils/SafeCastLib.sol";
import {SafeTransferLib} from "solady/utils/SafeTransferLib.sol";

import {IWrappedNative} from "./interfaces/external/IWrappedNative.sol";
import {IFeeSplitter} from "./interfaces/IFeeSplitter.sol";
import {SplitterClone} from "./libraries/SplitterClone.sol";
import {TokenTransfer} from "./libraries/TokenTransfer.sol";

/// @title FeeSplitter
/// @notice The implementation that every splitter delegates to. It has no payees itself.
/// @dev A payee's claim is its share of the total amount received (balance + released) minus the amount already paid to
/// it. The share applies to the cumulative amount, so that rounding does not accumulate over many small receipts.
contract FeeSplitter is IFeeSplitter, ReentrancyGuardTransient {
    /*//////////////////////////////////////////////////////////////
                                CONSTANTS
    //////////////////////////////////////////////////////////////*/

    address private constant NATIVE = address(0);

    /// @dev The payee's part of the wrapped native, to be unwrapped where that is allowed.
    address private constant UNWRAPPED = 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE;

    /// @dev The code of an account that delegates to code (EIP-7702) is 0xef0100 and the address.
    uint256 private constant DELEGATION_LENGTH = 23;
    bytes3 private constant DELEGATION_HEAD = 0xef0100;

    /*//////////////////////////////////////////////////////////////
                                IMMUTABLES
    //////////////////////////////////////////////////////////////*/

    /// @inheritdoc IFeeSplitter
    address public immutable WRAPPED_NATIVE;

    address private immutable _IMPLEMENTATION;

    /*//////////////////////////////////////////////////////////////
                                 STORAGE
    //////////////////////////////////////////////////////////////*/

    /// @dev Amounts released of an asset: to all payees at index 0, to the payee of entry i at index i + 1. Two amounts
    /// share a slot. 21 is MAX_PAYEES + 1.
    mapping(address asset => uint128[21]) private _released;

    /// @inheritdoc IFeeSplitter
    mapping(address payee => address) public payoutOf;

    /*//////////////////////////////////////////////////////////////
                               CONSTRUCTOR
    //////////////////////////////////////////////////////////////*/

    constructor(address wrappedNative) {
        WRAPPED_NATIVE = wrappedNative;
        _IMPLEMENTATION = address(this);
    }

    /// @dev The wrapped native token sends with 2,300 gas, which the event would nearly use up.
    receive() external payable {
        if (address(this) == _IMPLEMENTATION) revert FeeSplitter_NotClone();
        if (msg.sender != WRAPPED_NATIVE) emit NativeReceived(msg.sender, msg.value);
    }

    /*//////////////////////////////////////////////////////////////
                                 RELEASE
    //////////////////////////////////////////////////////////////*/

    /// @inheritdoc IFeeSplitter
    function release(address[] calldata assets, address payee) external returns (uint256[] memory amounts) {
        address payout = payoutOf[payee];
        return _releaseAll(assets, payee, payout == address(0) ? payee : payout);
    }

    /// @inheritdoc IFeeSplitter
    function releaseTo(address[] calldata assets, address to) external returns (uint256[] memory amounts) {
        if (to == address(0)) revert FeeSplitter_InvalidPayout(to);
        _checkPayout(to);
        return _releaseAll(assets, msg.sender, to);
    }

    /*//////////////////////////////////////////////////////////////
                                  PAYOUT
    //////////////////////////////////////////////////////////////*/

    /// @inheritdoc IFeeSplitter
    function setPayout(address payout) external {
        if (shareOf(msg.sender) == 0) revert FeeSplitter_NotPayee(msg.sender);
        _checkPayout(payout);
        payoutOf[msg.sender] = payout;
        emit PayoutChanged(msg.sender, payout);
    }

    /*//////////////////////////////////////////////////////////////
                                  VIEWS
    //////////////////////////////////////////////////////////////*/

    /// @inheritdoc IFeeSplitter
    function claimable(address asset, address payee) external view returns (uint256) {
        asset = _bookedAs(asset);
        (uint256 index, uint16 share) = SplitterClone.find(_entries(), payee);
        return share == 0 ? 0 : _claim(asset, _released[asset][0], _released[asset][index + 1], share);
    }

    /// @inheritdoc IFeeSplitter
    function released(address asset, address payee) external view returns (uint256) {
        (uint256 index, uint16 share) = SplitterClone.find(_entries(), payee);
        return share == 0 ? 0 : _released[_bookedAs(asset)][index + 1];
    }

    /// @inheritdoc IFeeSplitter
    function totalReleased(address asset) external view returns (uint256) {
        return _released[_bookedAs(asset)][0];
    }

    /// @inheritdoc IFeeSplitter
    function allocations() external view returns (address[] memory payees, uint16[] memory shares) {
        bytes memory entries = _entries();
        uint256 count = entries.length / SplitterClone.ENTRY_LENGTH;
        payees = new address[](count);
        shares = new uint16[](count);
        for (uint256 i; i < count; ++i) {
            (payees[i], shares[i]) = SplitterClone.entryAt(entries, i);
        }
    }

    /// @inheritdoc IFeeSplitter
    function shareOf(address account) public view returns (uint16 share) {
        (, share) = SplitterClone.find(_entries(), account);
    }

    /*//////////////////////////////////////////////////////////////
                                INTERNALS
    //////////////////////////////////////////////////////////////*/

    /// @dev Guarded against re-entry: an asset that makes an external call before it updates its balances would
    /// otherwise let another payee claim an amount that has already been released.
    function _releaseAll(address[] calldata assets, address payee, address receiver)
        private
        nonReentrant
        returns (uint256[] memory amounts)
    {
        (uint256 index, uint16 share) = SplitterClone.find(_entries(), payee);
        if (share == 0) revert FeeSplitter_NotPayee(payee);
        amounts = new uint256[](assets.length);
        for (uint256 i; i < assets.length; ++i) {
            amounts[i] = _release(assets[i], payee, index, share, receiver);
        }
    }

    function _release(address asset, address payee, uint256 index, uint256 share, address receiver)
        private
        returns (uint256 amount)
    {
        bool unwrapped = asset == UNWRAPPED;
        if (unwrapped) asset = WRAPPED_NATIVE;
        uint128[21] storage released_ = _released[asset];
        (uint256 total, uint256 paid) = (released_[0], released_[index + 1]);
        amount = _claim(asset, total, paid, share);
        if (amount == 0) return 0;
        released_[0] = SafeCastLib.toUint128(total + amount);
        released_[index + 1] = SafeCastLib.toUint128(paid + amount);
        // A stranger must not choose the form of the payment for a contract, which may not be able to use native.
        if (unwrapped) unwrapped = (msg.sender == payee || _hasNoCode(receiver)) && _sendUnwrapped(receiver, amount);
        if (!unwrapped) {
            bool sent =
                asset == NATIVE ? _sendNative(receiver, amount) : TokenTransfer.trySend(asset, receiver, amount);
            if (!sent) revert FeeSplitter_TransferFailed(asset, receiver, amount);
        }
        emit Released(asset, payee, receiver, amount, unwrapped);
    }

    /// @dev The asset in which receipts and payments are counted.
    function _bookedAs(address asset) private view returns (address) {
        return asset == UNWRAPPED ? WRAPPED_NATIVE : asset;
    }

    /// @dev Zero if the payee has received more than its share, which is possible for an asset whose balances shrink.
    /// @param total The amount released to all payees.
    /// @param paid The amount released to the payee.
    function _claim(address asset, uint256 total, uint256 paid, uint256 share) private view returns (uint256) {
        uint256 balance = asset == NATIVE ? address(this).balance : SafeTransferLib.balanceOf(asset, address(this));
        uint256 entitled = (balance + total) * share / SplitterClone.TOTAL_SHARES;
        return entitled > paid ? entitled - paid : 0;
    }

    /// @dev Wraps the amount again if the receiver rejects it.
    function _sendUnwrapped(address to, uint256 amount) private returns (bool sent) {
        IWrappedNative(WRAPPED_NATIVE).withdraw(amount);
        sent = _sendNative(to, amount);
        if (!sent) IWrappedNative(WRAPPED_NATIVE).deposit{value: amount}();
    }

    /// @dev Copies no return data, so that a receiver cannot make the caller pay for memory expansion.
    function _sendNative(address to, uint256 amount) private returns (bool) {
        return SafeTransferLib.trySafeTransferETH(to, amount, gasleft());
    }

    /// @dev Whether an account has no code of its own. It may delegate to code.
    function _hasNoCode(address account) private view returns (bool) {
        uint256 size = account.code.length;
        return size == 0 || (size == DELEGATION_LENGTH && bytes3(account.code) == DELEGATION_HEAD);
    }

    /// @dev A payment to the splitter itself would be received, and split, once more.
    function _checkPayout(address payout) private view {
        if (payout == address(this)) revert FeeSplitter_InvalidPayout(payout);
    }

    /// @dev The code behind the proxy. The implementation itself has no entries: its code is not that of a proxy.
    function _entries() private view returns (bytes memory entries) {
        if (address(this) == _IMPLEMENTATION) return entries;
        uint256 start = SplitterClone.PROXY_LENGTH;
        entries = new bytes(address(this).code.length - start);
        assembly ("memory-safe") {
            extcodecopy(address(), add(entries, 32), start, mload(entries))
        }
    }

    /// @dev Uses transient storage on every chain, not only on Ethereum.
    function _useTransientReentrancyGuardOnlyOnMainnet() internal pure override returns (bool) {
        return false;
    }
}

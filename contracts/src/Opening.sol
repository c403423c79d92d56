// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {FixedPointMathLib} from "solady/utils/FixedPointMathLib.sol";
import {ReentrancyGuardTransient} from "solady/utils/ReentrancyGuardTransient.sol";
import {SafeCastLib} from "solady/utils/SafeCastLib.sol";
import {SafeTransferLib} from "solady/utils/SafeTransferLib.sol";

import {ILaunchFactory} from "./interfaces/ILaunchFactory.sol";
import {IOpening} from "./interfaces/IOpening.sol";
import {LaunchTerms} from "./libraries/LaunchTerms.sol";
import {SplitterClone} from "./libraries/SplitterClone.sol";

/// @title Opening
/// @notice The implementation that every opening delegates to. It has no terms itself.
contract Opening is IOpening, ReentrancyGuardTransient {
    /// @param minimum In wei, as `cap`.
    struct Terms {
        address creator;
        bytes32 paramsHash;
        uint256 minimum;
        uint256 cap;
        uint40 deadline;
    }

    /// @param total Deposits of all accounts, in wei.
    /// @param spent Native that the buy spent, in wei; zero unless opened.
    /// @param closedAt When the opening opened or closed; zero if neither happened.
    struct Book {
        uint104 total;
        uint104 spent;
        uint40 closedAt;
    }

    /// @param deposit In wei.
    /// @param isRefunded Whether the deposit was paid back after the deadline. `close` can still give the account tokens.
    struct Account {
        uint104 deposit;
        bool isRefunded;
    }

    /// @dev The proxy, and the terms: creator (20 bytes), hash of the parameters (32), minimum (12), cap (12), deadline
    /// (5).
    uint256 private constant CODE_LENGTH = SplitterClone.PROXY_LENGTH + 81;

    /// @inheritdoc IOpening
    address public immutable LAUNCH_FACTORY;

    /// @inheritdoc IOpening
    address public token;

    /// @inheritdoc IOpening
    uint96 public received;

    Book private _book;

    /// @dev The parts that are not paid. A claim after the end deletes its entry.
    mapping(address account => Account) private _accounts;

    constructor(address launchFactory) {
        LAUNCH_FACTORY = launchFactory;
    }

    /// @inheritdoc IOpening
    receive() external payable {
        _deposit(msg.sender);
    }

    /// @inheritdoc IOpening
    function deposit(address account) external payable {
        _checkAccount(account);
        _deposit(account);
    }

    /// @inheritdoc IOpening
    /// @dev The launch factory checks the signature. It would refund to the creator what the buy does not spend. Up to
    /// MAX_CAP, that is nothing.
    function open(
        ILaunchFactory.LaunchParams calldata params,
        uint256 value,
        uint256 minimumOut,
        bytes calldata signature
    ) external nonReentrant returns (uint256 bought) {
        Terms memory terms = _terms();
        _checkCollecting(terms.deadline);
        _checkParams(params, terms.paramsHash);
        uint256 maximum = FixedPointMathLib.min(terms.cap, _book.total);
        if (value < terms.minimum || value > maximum) {
            revert Opening_ValueOutOfRange(value, terms.minimum, maximum);
        }
        (_book.spent, _book.closedAt) = (uint104(value), uint40(block.timestamp));
        address launched;
        (launched,, bought) = ILaunchFactory(LAUNCH_FACTORY).launchFor{value: value}(
            terms.creator,
            params,
            ILaunchFactory.InitialBuyParams({recipient: address(this), minimumOut: minimumOut}),
            value,
            terms.deadline,
            signature
        );
        // At most the supply, which is below 2^96.
        (token, received) = (launched, uint96(bought));
        emit Opened(launched, value, bought);
    }

    /// @inheritdoc IOpening
    /// @dev The launch factory is the only account that can create code at this address, in a launch by the creator.
    function close(ILaunchFactory.LaunchParams calldata params) external nonReentrant {
        Terms memory terms = _terms();
        if (_book.closedAt != 0) revert Opening_Closed();
        _checkParams(params, terms.paramsHash);
        (address launched,) = ILaunchFactory(LAUNCH_FACTORY).predict(terms.creator, params);
        if (launched.code.length == 0) revert Opening_NotLaunched(launched);
        _book.closedAt = uint40(block.timestamp);
        uint96 received_ = SafeCastLib.toUint96(SafeTransferLib.balanceOf(launched, address(this)));
        (token, received) = (launched, received_);
        emit Closed(launched, received_);
    }

    /// @inheritdoc IOpening
    function claim(address account) external returns (uint256 tokens, uint256 refund) {
        return _claim(account, account);
    }

    /// @inheritdoc IOpening
    function claimTo(address to) external returns (uint256 tokens, uint256 refund) {
        _checkAccount(to);
        return _claim(msg.sender, to);
    }

    /// @inheritdoc IOpening
    function claimable(address account) external view returns (uint256 tokens, uint256 refund) {
        return _claimable(_book, _accounts[account]);
    }

    /// @inheritdoc IOpening
    function depositOf(address account) external view returns (uint256) {
        return _accounts[account].deposit;
    }

    /// @inheritdoc IOpening
    function total() external view returns (uint256) {
        return _book.total;
    }

    /// @inheritdoc IOpening
    function spent() external view returns (uint256) {
        return _book.spent;
    }

    /// @inheritdoc IOpening
    function closedAt() external view returns (uint40) {
        return _book.closedAt;
    }

    /// @inheritdoc IOpening
    function isOpened() external view returns (bool) {
        return _book.spent != 0;
    }

    /// @inheritdoc IOpening
    function creator() external view returns (address) {
        return _terms().creator;
    }

    /// @inheritdoc IOpening
    function paramsHash() external view returns (bytes32) {
        return _terms().paramsHash;
    }

    /// @inheritdoc IOpening
    function minimum() external view returns (uint256) {
        return _terms().minimum;
    }

    /// @inheritdoc IOpening
    function cap() external view returns (uint256) {
        return _terms().cap;
    }

    /// @inheritdoc IOpening
    function deadline() external view returns (uint40) {
        return _terms().deadline;
    }

    function _deposit(address account) private nonReentrant {
        _checkCollecting(_terms().deadline);
        if (msg.value == 0) revert Opening_NothingDeposited();
        uint256 total_ = _book.total + msg.value;
        _book.total = SafeCastLib.toUint104(total_);
        // At most the total.
        _accounts[account].deposit += uint104(msg.value);
        emit Deposited(account, msg.value, total_);
    }

    function _claim(address account, address to) private nonReentrant returns (uint256 tokens, uint256 refund) {
        Book memory book = _book;
        (tokens, refund) = _claimable(book, _accounts[account]);
        if (tokens == 0 && refund == 0) revert Opening_NothingToClaim(account);
        // Before `close` the account can still get tokens. Afterwards the claim is final.
        if (book.closedAt == 0) _accounts[account].isRefunded = true;
        else delete _accounts[account];
        if (tokens != 0) SafeTransferLib.safeTransfer(token, to, tokens);
        // Copies no return data.
        if (refund != 0 && !SafeTransferLib.trySafeTransferETH(to, refund, gasleft())) {
            revert Opening_TransferFailed(to, refund);
        }
        emit Claimed(account, to, tokens, refund);
    }

    /// @dev If a deposit exists, the total is not zero.
    function _claimable(Book memory book, Account memory account)
        private
        view
        returns (uint256 tokens, uint256 refund)
    {
        bool hasEnded = book.closedAt == 0 ? block.timestamp > _terms().deadline : block.timestamp > book.closedAt;
        if (!hasEnded || account.deposit == 0) return (0, 0);
        uint256 deposit_ = account.deposit;
        tokens = received * deposit_ / book.total;
        if (!account.isRefunded) refund = deposit_ * (book.total - book.spent) / book.total;
    }

    function _checkCollecting(uint40 deadline_) private view {
        if (_book.closedAt != 0) revert Opening_Closed();
        if (block.timestamp > deadline_) revert Opening_Expired(deadline_, block.timestamp);
    }

    function _checkParams(ILaunchFactory.LaunchParams calldata params, bytes32 expected) private pure {
        bytes32 actual = LaunchTerms.hashOf(params);
        if (actual != expected) revert Opening_WrongParams(actual, expected);
    }

    function _checkAccount(address account) private view {
        if (account == address(0) || account == address(this)) revert Opening_InvalidAccount(account);
    }

    /// @dev The code behind the proxy. The implementation itself has no terms: its code has another length.
    function _terms() private view returns (Terms memory terms) {
        if (address(this).code.length != CODE_LENGTH) revert Opening_NotClone();
        uint256 start = SplitterClone.PROXY_LENGTH;
        assembly ("memory-safe") {
            let code := mload(0x40)
            // Behind the end of the code are zeros.
            extcodecopy(address(), code, start, 108)
            mstore(terms, shr(96, mload(code)))
            mstore(add(terms, 0x20), mload(add(code, 20)))
            mstore(add(terms, 0x40), shr(160, mload(add(code, 52))))
            mstore(add(terms, 0x60), shr(160, mload(add(code, 64))))
            mstore(add(terms, 0x80), shr(216, mload(add(code, 76))))
        }
    }

    /// @dev Uses transient storage on every chain, not only on Ethereum.
    function _useTransientReentrancyGuardOnlyOnMainnet() internal pure override returns (bool) {
        return false;
    }
}

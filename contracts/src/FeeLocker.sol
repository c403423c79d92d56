// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SafeCastLib} from "solady/utils/SafeCastLib.sol";
import {SafeTransferLib} from "solady/utils/SafeTransferLib.sol";

import {IUniswapV3MintCallback} from "./interfaces/external/IUniswapV3Callbacks.sol";
import {IUniswapV3Pool} from "./interfaces/external/IUniswapV3Pool.sol";
import {IFeeLocker} from "./interfaces/IFeeLocker.sol";
import {FeePolicy} from "./libraries/FeePolicy.sol";
import {PoolAddress} from "./libraries/PoolAddress.sol";
import {StartPrice} from "./libraries/StartPrice.sol";
import {TokenTransfer} from "./libraries/TokenTransfer.sol";

/// @title FeeLocker
/// @dev Owns the positions directly, without a position manager. The only pool function that can reduce liquidity is
/// `burn`; the contract calls it in one place, with an amount of zero.
contract FeeLocker is IFeeLocker, IUniswapV3MintCallback {
    /*//////////////////////////////////////////////////////////////
                                  TYPES
    //////////////////////////////////////////////////////////////*/

    /// @dev What is specific to a launch. Pool, ticks and token order follow from the token's address, the fee tier and
    /// the immutables.
    struct Launch {
        address splitter;
        uint96 liquidity;
        CollectedTotals collected;
        SettledTotals settled;
        address partner;
        uint16 partnerShareBps;
    }

    /// @dev The fee tier in basis points, zero for an unknown token, and the total amounts collected from the pool. The
    /// slot is not zero from the launch on, so that the first collection does not pay for a new one. 2^120 base units are
    /// more than 10^9 times the supply.
    struct CollectedTotals {
        uint8 feeBps;
        bool hasPartner;
        uint120 token;
        uint120 quote;
    }

    /// @dev The values of `CollectedTotals` at the last settlement. With the fee tier they determine all fields of a
    /// `Ledger`.
    struct SettledTotals {
        uint128 token;
        uint128 quote;
    }

    /// @dev Whom a settlement pays, and the terms of the division.
    struct Recipients {
        uint8 feeBps;
        address splitter;
        address treasury;
        address partner;
        uint16 partnerShareBps;
    }

    /*//////////////////////////////////////////////////////////////
                                CONSTANTS
    //////////////////////////////////////////////////////////////*/

    /// @inheritdoc IFeeLocker
    uint16 public constant PROTOCOL_FEE_BPS = FeePolicy.PROTOCOL_FEE_BPS;

    /*//////////////////////////////////////////////////////////////
                                IMMUTABLES
    //////////////////////////////////////////////////////////////*/

    /// @inheritdoc IFeeLocker
    address public immutable FACTORY;

    /// @inheritdoc IFeeLocker
    address public immutable WRAPPED_NATIVE;

    /// @inheritdoc IFeeLocker
    address public immutable UNISWAP_FACTORY;

    /// @inheritdoc IFeeLocker
    int24 public immutable START_TICK;

    /*//////////////////////////////////////////////////////////////
                                 STORAGE
    //////////////////////////////////////////////////////////////*/

    /// @inheritdoc IFeeLocker
    address public treasury;

    /// @inheritdoc IFeeLocker
    address public proposedTreasury;

    mapping(address token => Launch) private _launches;

    /// @inheritdoc IFeeLocker
    mapping(address asset => mapping(address party => uint256)) public owed;

    /// @dev The pool that may call `uniswapV3MintCallback`. Set only while `lock` runs.
    address private transient _mintingPool;

    /*//////////////////////////////////////////////////////////////
                               CONSTRUCTOR
    //////////////////////////////////////////////////////////////*/

    /// @dev The factory deploys the locker, so that neither contract can be configured with a wrong counterpart.
    constructor(address treasury_, address wrappedNative, address uniswapFactory, int24 startTick) {
        if (treasury_ == address(0) || treasury_ == address(this)) revert FeeLocker_InvalidTreasury(treasury_);
        FACTORY = msg.sender;
        WRAPPED_NATIVE = wrappedNative;
        UNISWAP_FACTORY = uniswapFactory;
        START_TICK = startTick;
        treasury = treasury_;
        emit TreasuryChanged(address(0), treasury_);
    }

    /*//////////////////////////////////////////////////////////////
                                   LOCK
    //////////////////////////////////////////////////////////////*/

    /// @inheritdoc IFeeLocker
    function lock(
        address token,
        address pool,
        address splitter,
        address partner,
        uint16 partnerShareBps,
        uint16 feeBps,
        uint96 liquidity
    ) external returns (uint256 placed) {
        if (msg.sender != FACTORY) revert FeeLocker_NotFactory(msg.sender);
        Launch storage launch = _launches[token];
        if (launch.collected.feeBps != 0) revert FeeLocker_AlreadyLocked(token);
        if (!FeePolicy.isTier(feeBps)) revert FeeLocker_InvalidFee(feeBps);
        address expectedPool = _poolOf(token, feeBps);
        if (pool != expectedPool) revert FeeLocker_UnexpectedPool(pool, expectedPool);
        bool hasPartner = partner != address(0);
        (launch.splitter, launch.liquidity) = (splitter, liquidity);
        launch.collected = CollectedTotals({feeBps: uint8(feeBps), hasPartner: hasPartner, token: 0, quote: 0});
        // Skipped without a partner: writing zero to an empty slot also costs gas.
        if (hasPartner) (launch.partner, launch.partnerShareBps) = (partner, partnerShareBps);
        placed = _mint(token, pool, liquidity);
        emit PositionLocked(token, pool, liquidity);
    }

    /// @inheritdoc IUniswapV3MintCallback
    /// @dev `data` is the value that `lock` passes to the pool.
    function uniswapV3MintCallback(uint256 amount0Owed, uint256 amount1Owed, bytes calldata data) external {
        if (msg.sender != _mintingPool) revert FeeLocker_NotPool(msg.sender);
        address token = abi.decode(data, (address));
        (uint256 tokenOwed, uint256 quoteOwed) =
            token < WRAPPED_NATIVE ? (amount0Owed, amount1Owed) : (amount1Owed, amount0Owed);
        if (quoteOwed != 0) revert FeeLocker_NotSingleSided(token, quoteOwed);
        SafeTransferLib.safeTransfer(token, msg.sender, tokenOwed);
    }

    /*//////////////////////////////////////////////////////////////
                            COLLECT AND SETTLE
    //////////////////////////////////////////////////////////////*/

    /// @inheritdoc IFeeLocker
    /// @dev Uses the amounts that the pool reports. The pool is genuine, and donations to this contract are not
    /// included.
    function collect(address token) external returns (uint256 tokenAmount, uint256 quoteAmount) {
        Launch storage launch = _launches[token];
        uint8 feeBps = launch.collected.feeBps;
        if (feeBps == 0) revert FeeLocker_UnknownToken(token);
        IUniswapV3Pool pool = IUniswapV3Pool(_poolOf(token, feeBps));
        (int24 tickLower, int24 tickUpper, bool tokenIsToken0) = _rangeOf(token);

        // `burn` with zero liquidity makes the pool update the fees owed to the position.
        pool.burn(tickLower, tickUpper, 0);
        (uint128 amount0, uint128 amount1) =
            pool.collect(address(this), tickLower, tickUpper, type(uint128).max, type(uint128).max);
        (tokenAmount, quoteAmount) = tokenIsToken0 ? (amount0, amount1) : (amount1, amount0);
        if (tokenAmount == 0 && quoteAmount == 0) return (0, 0);

        CollectedTotals memory collected = launch.collected;
        collected.token = SafeCastLib.toUint120(collected.token + tokenAmount);
        collected.quote = SafeCastLib.toUint120(collected.quote + quoteAmount);
        launch.collected = collected;
        emit Collected(token, tokenAmount, quoteAmount);
    }

    /// @inheritdoc IFeeLocker
    /// @dev Updates storage before the transfers, so that a re-entrant call cannot pay the same credit twice.
    function settle(address token, address[] calldata assets) external {
        Launch storage launch = _launches[token];
        CollectedTotals memory collected = launch.collected;
        if (collected.feeBps == 0) revert FeeLocker_UnknownToken(token);
        (uint128 tokenBefore, uint128 quoteBefore) = (launch.settled.token, launch.settled.quote);
        (uint128 tokenAfter, uint128 quoteAfter) = (tokenBefore, quoteBefore);
        for (uint256 i; i < assets.length; ++i) {
            if (assets[i] == token) tokenAfter = collected.token;
            else if (assets[i] == WRAPPED_NATIVE) quoteAfter = collected.quote;
            else revert FeeLocker_UnknownAsset(token, assets[i]);
        }
        if (tokenAfter == tokenBefore && quoteAfter == quoteBefore) return;
        (launch.settled.token, launch.settled.quote) = (tokenAfter, quoteAfter);

        Recipients memory recipients = _recipientsOf(launch, collected);
        _settle(token, token, recipients, tokenAfter, tokenBefore);
        _settle(token, WRAPPED_NATIVE, recipients, quoteAfter, quoteBefore);
    }

    /// @inheritdoc IFeeLocker
    function payOwed(address asset, address party) external returns (uint256 amount) {
        amount = owed[asset][party];
        if (amount == 0) return 0;
        owed[asset][party] = 0;
        if (!TokenTransfer.trySend(asset, party, amount)) revert FeeLocker_TransferFailed(asset, party, amount);
        emit OwedPaid(asset, party, amount);
    }

    /*//////////////////////////////////////////////////////////////
                                 TREASURY
    //////////////////////////////////////////////////////////////*/

    /// @inheritdoc IFeeLocker
    function proposeTreasury(address proposed) external {
        if (msg.sender != treasury) revert FeeLocker_NotTreasury(msg.sender);
        proposedTreasury = proposed;
        emit TreasuryProposed(msg.sender, proposed);
    }

    /// @inheritdoc IFeeLocker
    function acceptTreasury() external {
        if (msg.sender != proposedTreasury) revert FeeLocker_NotProposedTreasury(msg.sender);
        emit TreasuryChanged(treasury, msg.sender);
        treasury = msg.sender;
        delete proposedTreasury;
    }

    /*//////////////////////////////////////////////////////////////
                                  VIEWS
    //////////////////////////////////////////////////////////////*/

    /// @inheritdoc IFeeLocker
    function positionOf(address token) external view returns (Position memory position) {
        Launch storage launch = _launches[token];
        uint8 feeBps = launch.collected.feeBps;
        if (feeBps == 0) return position;
        (int24 tickLower, int24 tickUpper, bool tokenIsToken0) = _rangeOf(token);
        return Position({
            pool: _poolOf(token, feeBps),
            splitter: launch.splitter,
            partner: launch.partner,
            partnerShareBps: launch.partnerShareBps,
            totalFeeBps: feeBps,
            protocolFeeBps: PROTOCOL_FEE_BPS,
            tickLower: tickLower,
            tickUpper: tickUpper,
            tokenIsToken0: tokenIsToken0,
            liquidity: launch.liquidity
        });
    }

    /// @inheritdoc IFeeLocker
    function ledgerOf(address token, address asset) external view returns (Ledger memory ledger) {
        Launch storage launch = _launches[token];
        uint256 settled;
        if (asset == token) (ledger.collected, settled) = (launch.collected.token, launch.settled.token);
        else if (asset == WRAPPED_NATIVE) (ledger.collected, settled) = (launch.collected.quote, launch.settled.quote);
        uint8 feeBps = launch.collected.feeBps;
        if (feeBps == 0) return ledger;
        uint16 partnerShareBps = launch.partnerShareBps;
        (ledger.protocolTotal, ledger.partnerTotal, ledger.collaboratorsTotal) =
            FeePolicy.divide(ledger.collected, feeBps, partnerShareBps);
        (uint256 protocolPaid, uint256 partnerPaid, uint256 collaboratorsPaid) =
            FeePolicy.divide(settled, feeBps, partnerShareBps);
        ledger.protocolCredit = ledger.protocolTotal - protocolPaid;
        ledger.partnerCredit = ledger.partnerTotal - partnerPaid;
        ledger.collaboratorsCredit = ledger.collaboratorsTotal - collaboratorsPaid;
    }

    /*//////////////////////////////////////////////////////////////
                                INTERNALS
    //////////////////////////////////////////////////////////////*/

    /// @dev Only during this call may the pool request the supply.
    function _mint(address token, address pool, uint96 liquidity) private returns (uint256 placed) {
        (int24 tickLower, int24 tickUpper, bool tokenIsToken0) = _rangeOf(token);
        _mintingPool = pool;
        (uint256 amount0, uint256 amount1) =
            IUniswapV3Pool(pool).mint(address(this), tickLower, tickUpper, liquidity, abi.encode(token));
        _mintingPool = address(0);
        return tokenIsToken0 ? amount0 : amount1;
    }

    /// @dev Pays the parts of what was collected between two settlements.
    function _settle(address token, address asset, Recipients memory to, uint256 collected, uint256 settled) private {
        if (collected == settled) return;
        (uint256 protocolAmount, uint256 partnerAmount, uint256 collaboratorsAmount) =
            FeePolicy.divide(collected, to.feeBps, to.partnerShareBps);
        (uint256 protocolPaid, uint256 partnerPaid, uint256 collaboratorsPaid) =
            FeePolicy.divide(settled, to.feeBps, to.partnerShareBps);
        // Each part of a greater amount is greater or equal.
        unchecked {
            protocolAmount -= protocolPaid;
            partnerAmount -= partnerPaid;
            collaboratorsAmount -= collaboratorsPaid;
        }

        _pay(token, asset, to.splitter, collaboratorsAmount);
        _pay(token, asset, to.treasury, protocolAmount);
        _pay(token, asset, to.partner, partnerAmount);
        emit Settled(token, asset, collaboratorsAmount, protocolAmount, partnerAmount);
    }

    /// @dev A transfer that fails is owed, so that it does not hold up the other parties.
    function _pay(address token, address asset, address to, uint256 amount) private {
        if (amount == 0 || TokenTransfer.trySend(asset, to, amount)) return;
        owed[asset][to] += amount;
        emit PaymentOwed(token, asset, to, amount);
    }

    function _recipientsOf(Launch storage launch, CollectedTotals memory collected)
        private
        view
        returns (Recipients memory recipients)
    {
        recipients.feeBps = collected.feeBps;
        (recipients.splitter, recipients.treasury) = (launch.splitter, treasury);
        if (collected.hasPartner) {
            (recipients.partner, recipients.partnerShareBps) = (launch.partner, launch.partnerShareBps);
        }
    }

    function _poolOf(address token, uint16 feeBps) private view returns (address) {
        return PoolAddress.compute(UNISWAP_FACTORY, token, WRAPPED_NATIVE, FeePolicy.poolFeeOf(feeBps));
    }

    function _rangeOf(address token) private view returns (int24 tickLower, int24 tickUpper, bool tokenIsToken0) {
        tokenIsToken0 = token < WRAPPED_NATIVE;
        (tickLower, tickUpper) = StartPrice.range(START_TICK, tokenIsToken0);
    }
}

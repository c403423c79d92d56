// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SafeTransferLib} from "solady/utils/SafeTransferLib.sol";

import {IUniswapV3MintCallback} from "./interfaces/external/IUniswapV3Callbacks.sol";
import {IUniswapV3Pool} from "./interfaces/external/IUniswapV3Pool.sol";
import {IFeeLocker} from "./interfaces/IFeeLocker.sol";
import {FeePolicy} from "./libraries/FeePolicy.sol";

/// @title FeeLocker
/// @dev Owns the positions directly, without a position manager. The only pool function that can reduce liquidity is
/// `burn`; the contract calls it in one place, with an amount of zero.
contract FeeLocker is IFeeLocker, IUniswapV3MintCallback {
    /*//////////////////////////////////////////////////////////////
                                  TYPES
    //////////////////////////////////////////////////////////////*/

    /// @dev `Position` packed for storage: two slots, and a third one if the launch has a partner.
    struct StoredPosition {
        address pool;
        int24 tickLower;
        int24 tickUpper;
        uint16 totalFeeBps;
        uint16 protocolFeeBps;
        bool tokenIsToken0;
        address splitter;
        uint96 liquidity;
        address partner;
        uint16 partnerShareBps;
    }

    /// @dev All fields of a `Ledger` are computed from these two values and the fee policy.
    /// @param collected Total amount collected from the pool.
    /// @param settled Value of `collected` at the last settlement.
    struct Tally {
        uint128 collected;
        uint128 settled;
    }

    /*//////////////////////////////////////////////////////////////
                                 STORAGE
    //////////////////////////////////////////////////////////////*/

    /// @inheritdoc IFeeLocker
    address public immutable FACTORY;

    /// @inheritdoc IFeeLocker
    address public immutable WRAPPED_NATIVE;

    /// @inheritdoc IFeeLocker
    address public treasury;

    /// @inheritdoc IFeeLocker
    address public proposedTreasury;

    mapping(address token => StoredPosition) private _positions;
    mapping(address token => mapping(address asset => Tally)) private _tallies;

    /// @dev The pool that may call `uniswapV3MintCallback`. Set only while `lock` runs.
    address private transient _mintingPool;

    /*//////////////////////////////////////////////////////////////
                               CONSTRUCTOR
    //////////////////////////////////////////////////////////////*/

    /// @dev The factory deploys the locker, so that neither contract can be configured with a wrong counterpart.
    constructor(address treasury_, address wrappedNative) {
        if (treasury_ == address(0) || treasury_ == address(this)) revert FeeLocker_InvalidTreasury(treasury_);
        FACTORY = msg.sender;
        WRAPPED_NATIVE = wrappedNative;
        treasury = treasury_;
        emit TreasuryChanged(address(0), treasury_);
    }

    /*//////////////////////////////////////////////////////////////
                                   LOCK
    //////////////////////////////////////////////////////////////*/

    /// @inheritdoc IFeeLocker
    function lock(address token, Position calldata position) external returns (uint256 placed) {
        if (msg.sender != FACTORY) revert FeeLocker_NotFactory(msg.sender);
        StoredPosition storage stored = _positions[token];
        if (stored.pool != address(0)) revert FeeLocker_AlreadyLocked(token);
        stored.pool = position.pool;
        stored.tickLower = position.tickLower;
        stored.tickUpper = position.tickUpper;
        stored.totalFeeBps = position.totalFeeBps;
        stored.protocolFeeBps = position.protocolFeeBps;
        stored.tokenIsToken0 = position.tokenIsToken0;
        stored.splitter = position.splitter;
        stored.liquidity = uint96(position.liquidity);
        // Skipped without a partner: writing zero to an empty slot also costs gas.
        if (position.partner != address(0)) {
            stored.partner = position.partner;
            stored.partnerShareBps = position.partnerShareBps;
        }

        _mintingPool = position.pool;
        (uint256 amount0, uint256 amount1) = IUniswapV3Pool(position.pool).mint(
            address(this),
            position.tickLower,
            position.tickUpper,
            uint96(position.liquidity),
            abi.encode(token, position.tokenIsToken0)
        );
        _mintingPool = address(0);
        emit PositionLocked(token, position.pool, position.liquidity);
        return position.tokenIsToken0 ? amount0 : amount1;
    }

    /// @inheritdoc IUniswapV3MintCallback
    /// @dev `data` is the value that `lock` passes to the pool.
    function uniswapV3MintCallback(uint256 amount0Owed, uint256 amount1Owed, bytes calldata data) external {
        if (msg.sender != _mintingPool) revert FeeLocker_NotPool(msg.sender);
        (address token, bool tokenIsToken0) = abi.decode(data, (address, bool));
        (uint256 tokenOwed, uint256 quoteOwed) =
            tokenIsToken0 ? (amount0Owed, amount1Owed) : (amount1Owed, amount0Owed);
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
        StoredPosition storage stored = _positions[token];
        IUniswapV3Pool pool = IUniswapV3Pool(stored.pool);
        if (address(pool) == address(0)) revert FeeLocker_UnknownToken(token);
        (int24 tickLower, int24 tickUpper, bool tokenIsToken0) =
            (stored.tickLower, stored.tickUpper, stored.tokenIsToken0);

        // `burn` with zero liquidity makes the pool update the fees owed to the position.
        pool.burn(tickLower, tickUpper, 0);
        (uint128 amount0, uint128 amount1) =
            pool.collect(address(this), tickLower, tickUpper, type(uint128).max, type(uint128).max);
        (tokenAmount, quoteAmount) = tokenIsToken0 ? (amount0, amount1) : (amount1, amount0);
        if (tokenAmount == 0 && quoteAmount == 0) return (0, 0);

        if (tokenAmount != 0) _tallies[token][token].collected += uint128(tokenAmount);
        if (quoteAmount != 0) _tallies[token][WRAPPED_NATIVE].collected += uint128(quoteAmount);
        emit Collected(token, tokenAmount, quoteAmount);
    }

    /// @inheritdoc IFeeLocker
    function settle(address token, address[] calldata assets) external {
        StoredPosition storage stored = _positions[token];
        if (stored.pool == address(0)) revert FeeLocker_UnknownToken(token);
        for (uint256 i; i < assets.length; ++i) {
            _settle(token, assets[i], stored);
        }
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
    function positionOf(address token) external view returns (Position memory) {
        StoredPosition storage stored = _positions[token];
        return Position({
            pool: stored.pool,
            splitter: stored.splitter,
            partner: stored.partner,
            partnerShareBps: stored.partnerShareBps,
            totalFeeBps: stored.totalFeeBps,
            protocolFeeBps: stored.protocolFeeBps,
            tickLower: stored.tickLower,
            tickUpper: stored.tickUpper,
            tokenIsToken0: stored.tokenIsToken0,
            liquidity: stored.liquidity
        });
    }

    /// @inheritdoc IFeeLocker
    function ledgerOf(address token, address asset) external view returns (Ledger memory ledger) {
        StoredPosition storage stored = _positions[token];
        Tally memory tally = _tallies[token][asset];
        if (tally.collected == 0) return ledger;
        ledger.collected = tally.collected;
        (ledger.protocolTotal, ledger.partnerTotal, ledger.collaboratorsTotal) = _divide(stored, tally.collected);
        (uint256 protocolPaid, uint256 partnerPaid, uint256 collaboratorsPaid) = _divide(stored, tally.settled);
        ledger.protocolCredit = ledger.protocolTotal - protocolPaid;
        ledger.partnerCredit = ledger.partnerTotal - partnerPaid;
        ledger.collaboratorsCredit = ledger.collaboratorsTotal - collaboratorsPaid;
    }

    /*//////////////////////////////////////////////////////////////
                                INTERNALS
    //////////////////////////////////////////////////////////////*/

    /// @dev Updates storage before the transfers, so that a re-entrant call cannot pay the same credit twice.
    function _settle(address token, address asset, StoredPosition storage stored) private {
        if (asset != token && asset != WRAPPED_NATIVE) revert FeeLocker_UnknownAsset(token, asset);
        Tally storage tally = _tallies[token][asset];
        (uint128 collected, uint128 settled) = (tally.collected, tally.settled);
        if (collected == settled) return;
        tally.settled = collected;

        (uint256 protocolAmount, uint256 partnerAmount, uint256 collaboratorsAmount) = _divide(stored, collected);
        (uint256 protocolPaid, uint256 partnerPaid, uint256 collaboratorsPaid) = _divide(stored, settled);
        protocolAmount -= protocolPaid;
        partnerAmount -= partnerPaid;
        collaboratorsAmount -= collaboratorsPaid;

        _pay(asset, stored.splitter, collaboratorsAmount);
        _pay(asset, treasury, protocolAmount);
        _pay(asset, stored.partner, partnerAmount);
        emit Settled(token, asset, collaboratorsAmount, protocolAmount, partnerAmount);
    }

    function _pay(address asset, address to, uint256 amount) private {
        if (amount != 0) SafeTransferLib.safeTransfer(asset, to, amount);
    }

    function _divide(StoredPosition storage stored, uint256 collected)
        private
        view
        returns (uint256 protocol, uint256 partner, uint256 collaborators)
    {
        return FeePolicy.divide(collected, stored.totalFeeBps, stored.protocolFeeBps, stored.partnerShareBps);
    }
}

// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title IFeeLocker
/// @notice Owns every launch position for ever and pays out what it earns. No path lowers liquidity.
/// @dev Three stages, each callable by anyone: `collect` (pool -> credits here), `settle` (credits -> splitter,
/// treasury, partner), and the splitter's own `release` (splitter -> payees). Money goes only where the launch said.
/// Amounts come from what the pool reports as paid, never from balances: donations change nothing.
/// Constructor: (treasury, wrappedNative), called by the factory.
/// WARNING: the treasury given at deployment is not asked to accept, and only the treasury can change it.
interface IFeeLocker {
    /// @notice The launch as frozen at its birth.
    struct Position {
        address pool;
        address splitter;
        address partner;
        uint16 partnerShareBps;
        uint16 totalFeeBps;
        uint16 protocolFeeBps;
        int24 tickLower;
        int24 tickUpper;
        bool tokenIsToken0;
        uint128 liquidity;
    }

    /// @notice Amounts of one asset of one launch, in base units.
    /// @param collected Everything ever collected from the pool.
    /// @param protocolCredit Collected for the treasury and not settled yet.
    /// @param partnerCredit Collected for the partner and not settled yet.
    /// @param collaboratorsCredit Collected for the splitter and not settled yet.
    /// @param protocolTotal The treasury's part of `collected` so far, settled or not; likewise the other two.
    struct Ledger {
        uint256 collected;
        uint256 protocolCredit;
        uint256 partnerCredit;
        uint256 collaboratorsCredit;
        uint256 protocolTotal;
        uint256 partnerTotal;
        uint256 collaboratorsTotal;
    }

    event PositionLocked(address indexed token, address indexed pool, uint128 liquidity);
    /// @notice LP fees of both assets became credits.
    event Collected(address indexed token, uint256 tokenAmount, uint256 quoteAmount);
    /// @notice One asset's credits of one launch were paid out.
    event Settled(
        address indexed token,
        address indexed asset,
        uint256 collaboratorsAmount,
        uint256 protocolAmount,
        uint256 partnerAmount
    );
    event TreasuryProposed(address indexed treasury, address indexed proposed);
    event TreasuryChanged(address indexed previous, address indexed treasury);

    error FeeLocker_NotFactory(address caller);
    error FeeLocker_NotPool(address caller);
    error FeeLocker_UnknownToken(address token);
    error FeeLocker_UnknownAsset(address token, address asset);
    error FeeLocker_AlreadyLocked(address token);
    error FeeLocker_NotSingleSided(address token, uint256 quoteOwed);
    error FeeLocker_NotTreasury(address caller);
    error FeeLocker_NotProposedTreasury(address caller);
    error FeeLocker_InvalidTreasury(address treasury);

    /// @notice Places liquidity from the supply held here as this contract's own position, for ever; only the factory.
    /// @param token The launch token; its whole supply was minted here.
    /// @param position The launch to freeze.
    /// @return placed What the position took of the supply. The rounding rest stays here, outside every ledger.
    function lock(address token, Position calldata position) external returns (uint256 placed);

    /// @notice Collects the position's LP fees of both assets into credits. Anyone.
    /// @return tokenAmount Newly collected launch tokens.
    /// @return quoteAmount Newly collected wrapped native.
    function collect(address token) external returns (uint256 tokenAmount, uint256 quoteAmount);

    /// @notice Pays the credits of `assets` (the launch token, the wrapped native, or both): the collaborators' part
    /// to the splitter, the rest to the treasury and the partner. Anyone. Zero credits pay nothing and do not revert.
    function settle(address token, address[] calldata assets) external;

    /// @notice Proposes another treasury; only the treasury itself. Takes effect on `acceptTreasury`;
    /// zero takes a proposal back. What is not settled by then goes to the new treasury.
    function proposeTreasury(address proposed) external;

    /// @notice Accepts being the treasury; only the proposed one.
    function acceptTreasury() external;

    /// @notice The launch of a token as frozen at its birth; zeros for an unknown one.
    function positionOf(address token) external view returns (Position memory);

    /// @notice The amounts of one asset (the launch token or the wrapped native) of a launch.
    function ledgerOf(address token, address asset) external view returns (Ledger memory);
    function FACTORY() external view returns (address);
    function WRAPPED_NATIVE() external view returns (address);
    function treasury() external view returns (address);
    function proposedTreasury() external view returns (address);
}

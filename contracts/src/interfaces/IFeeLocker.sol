// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title IFeeLocker
/// @notice Owns every launch position permanently and pays out its fees. No function reduces liquidity.
/// @dev Three stages, each callable by anyone: `collect` (pool -> credits in this contract), `settle` (credits ->
/// splitter, treasury, partner), and the splitter's `release` (splitter -> payees). Payments go only to the recipients
/// that the launch recorded. Amounts are those that the pool reports as paid, not balances: donations have no effect.
/// Constructor: (treasury, wrappedNative), called by the factory.
/// WARNING: the treasury set at deployment takes effect without acceptance, and only the treasury can change it.
interface IFeeLocker {
    /// @notice The terms of a launch. Immutable after `lock`.
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
    /// @param collected Total amount collected from the pool.
    /// @param protocolCredit Collected for the treasury and not settled yet.
    /// @param partnerCredit Collected for the partner and not settled yet.
    /// @param collaboratorsCredit Collected for the splitter and not settled yet.
    /// @param protocolTotal The treasury's part of `collected`, settled or not.
    /// @param partnerTotal The partner's part of `collected`, settled or not.
    /// @param collaboratorsTotal The splitter's part of `collected`, settled or not.
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
    /// @notice LP fees were collected from the pool and credited.
    event Collected(address indexed token, uint256 tokenAmount, uint256 quoteAmount);
    /// @notice The credits of one asset of one launch were paid out.
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

    /// @notice Adds liquidity from the supply that this contract holds, as a permanent position. Only the factory.
    /// @param token The launch token. Its whole supply was minted to this contract.
    /// @param position The terms to record.
    /// @return placed Supply that the position took. The rounding remainder stays here, outside every ledger.
    function lock(address token, Position calldata position) external returns (uint256 placed);

    /// @notice Collects the position's LP fees of both assets and credits them. Callable by anyone.
    /// @return tokenAmount Newly collected launch tokens.
    /// @return quoteAmount Newly collected wrapped native.
    function collect(address token) external returns (uint256 tokenAmount, uint256 quoteAmount);

    /// @notice Pays the credits of `assets` (the launch token, the wrapped native, or both): the collaborators' part to
    /// the splitter, the remainder to the treasury and the partner. Callable by anyone. Zero credits pay nothing and do
    /// not revert.
    function settle(address token, address[] calldata assets) external;

    /// @notice Proposes another treasury. Only the treasury. Takes effect on `acceptTreasury`; zero withdraws a
    /// proposal. Credits that are not settled by then go to the new treasury.
    function proposeTreasury(address proposed) external;

    /// @notice Accepts the role of treasury. Only the proposed treasury.
    function acceptTreasury() external;

    /// @notice The recorded terms of a launch; zeros for an unknown token.
    function positionOf(address token) external view returns (Position memory);

    /// @notice The ledger of one asset (the launch token or the wrapped native) of a launch.
    function ledgerOf(address token, address asset) external view returns (Ledger memory);
    function FACTORY() external view returns (address);
    function WRAPPED_NATIVE() external view returns (address);
    function treasury() external view returns (address);
    function proposedTreasury() external view returns (address);
}

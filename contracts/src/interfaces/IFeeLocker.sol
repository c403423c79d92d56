// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title IFeeLocker
/// @notice Owns every launch position permanently and pays out its fees. No function reduces liquidity.
/// @dev Three stages, each callable by anyone: `collect` (pool -> credits in this contract), `settle` (credits ->
/// splitter, treasury, partner), and the splitter's `release` (splitter -> payees). Payments go only to the recipients
/// that the launch recorded. Amounts are those that the pool reports as paid, not balances: donations have no effect.
/// The protocol share and the price range are those of the deployment, the fee tier is that of the launch: no function can
/// change them.
/// Constructor: (treasury, wrappedNative, uniswapFactory, startTick), called by the factory.
/// WARNING: the treasury set at deployment takes effect without acceptance, and only the treasury can change it.
interface IFeeLocker {
    /// @notice The terms of a launch. Nothing can change them after `lock`.
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
    /// @notice A party of a settlement could not be paid. It is owed the amount: see `payOwed`. `Settled` includes it.
    event PaymentOwed(address indexed token, address indexed asset, address indexed party, uint256 amount);
    /// @notice A party was paid what it was owed.
    event OwedPaid(address indexed asset, address indexed party, uint256 amount);
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
    error FeeLocker_InvalidFee(uint16 feeBps);
    error FeeLocker_UnexpectedPool(address pool, address expected);
    error FeeLocker_TransferFailed(address asset, address party, uint256 amount);

    /// @notice Adds liquidity from the supply that this contract holds, as a permanent position. Only the factory.
    /// @param token The launch token. Its whole supply was minted to this contract.
    /// @param pool Its pool. Must have the address that follows from the published pool code.
    /// @param splitter Receives the collaborators' part.
    /// @param partner Receives the partner's part; zero for none.
    /// @param partnerShareBps The partner's part of the protocol share.
    /// @param feeBps The fee of the pool: 100, 50, 30 or 10 basis points.
    /// @param liquidity The liquidity of the position.
    /// @return placed Supply that the position took. The rounding remainder stays here, outside every ledger.
    function lock(
        address token,
        address pool,
        address splitter,
        address partner,
        uint16 partnerShareBps,
        uint16 feeBps,
        uint96 liquidity
    ) external returns (uint256 placed);

    /// @notice Collects the position's LP fees of both assets and credits them. Callable by anyone.
    /// @return tokenAmount Newly collected launch tokens.
    /// @return quoteAmount Newly collected wrapped native.
    function collect(address token) external returns (uint256 tokenAmount, uint256 quoteAmount);

    /// @notice Pays the credits of `assets` (the launch token, the wrapped native, or both): the collaborators' part to
    /// the splitter, the remainder to the treasury and the partner. Callable by anyone. Zero credits pay nothing and do
    /// not revert. A party whose transfer fails is owed its amount; the others are paid.
    function settle(address token, address[] calldata assets) external;

    /// @notice Pays `party` what it is owed of `asset`. Callable by anyone; only the party is paid. Nothing owed pays
    /// nothing and does not revert; a transfer that fails again reverts.
    /// @return amount Amount paid.
    function payOwed(address asset, address party) external returns (uint256 amount);

    /// @notice Proposes another treasury. Only the treasury. Takes effect on `acceptTreasury`; zero withdraws a
    /// proposal. Credits that are not settled by then go to the new treasury; what is owed stays owed to the old one.
    function proposeTreasury(address proposed) external;

    /// @notice Accepts the role of treasury. Only the proposed treasury.
    function acceptTreasury() external;

    /// @notice The recorded terms of a launch; zeros for an unknown token.
    function positionOf(address token) external view returns (Position memory);

    /// @notice The ledger of one asset (the launch token or the wrapped native) of a launch.
    function ledgerOf(address token, address asset) external view returns (Ledger memory);

    /// @notice The amount of `asset` that `party` is owed because settlements could not pay it.
    function owed(address asset, address party) external view returns (uint256);

    function FACTORY() external view returns (address);
    function WRAPPED_NATIVE() external view returns (address);
    function UNISWAP_FACTORY() external view returns (address);
    /// @notice The start tick if a token is token1. If it is token0, its negative applies.
    function START_TICK() external view returns (int24);
    /// @notice The protocol share, in basis points of the traded volume, of every launch.
    function PROTOCOL_FEE_BPS() external view returns (uint16);
    function treasury() external view returns (address);
    function proposedTreasury() external view returns (address);
}

// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title ILaunchFactory
/// @notice Launches a token: deploys it, opens its Uniswap v3 pool at the exact start price, locks the whole supply as
/// one single-sided position and records an immutable fee policy.
/// The creator chooses the fee tier of the pool. The protocol receives PROTOCOL_FEE_BPS of the volume at every tier, the
/// splitter the remainder: 90, 40, 20 or 0 basis points. A Uniswap v3 factory may lack a tier: the canonical ones have 100
/// and 30, an own one also 50 and 10.
/// @dev Assumes that the Uniswap v3 factory and the wrapped native token set at deployment are genuine.
/// EIP-712 domain: name "Slipway Launch Factory", version "1", chain id, this address.
/// WARNING: anyone can create the pool of a predicted token address before the launch. The factory initialises a pool
/// that is not initialised. A pool at another price than the start price reverts the launch: retry with another salt.
/// WARNING: `launch` checks the code of the splitter, but its storage cannot be checked: verify how it was created
/// (IFeeSplitter). `launchFor` accepts only splitters that the splitter factory has recorded.
/// WARNING: a signature for `launchFor` whose launch did not happen, for example because its pool was created first, stays
/// valid until its deadline. Call `cancel` before you sign another launch instead.
interface ILaunchFactory {
    /// @notice Parameters that the creator chooses. The token's address depends on all of them and on the creator.
    /// @dev Type string: LaunchParams(string name,string symbol,string contractURI,address splitter,bytes32 salt,
    /// address partner,uint16 feeBps) without the line break.
    /// @param name The token's name. The service expects 1..64 bytes; the contract accepts up to 24,575 bytes in all
    /// texts.
    /// @param symbol The token's symbol.
    /// @param contractURI The ERC-7572 metadata URI, usually a `data:application/json` document.
    /// @param splitter Receives the collaborators' part of the fees. Its code must be that of a clone of
    /// SPLITTER_IMPLEMENTATION with valid entries.
    /// @param salt Chosen by the creator. The effective salt also depends on the creator and on these parameters.
    /// @param partner Receives the part of the protocol share that the registry has for it at the time of the launch,
    /// which can be zero; zero for none.
    /// @param feeBps The fee of the pool: 100, 50, 30 or 10 basis points.
    struct LaunchParams {
        string name;
        string symbol;
        string contractURI;
        address splitter;
        bytes32 salt;
        address partner;
        uint16 feeBps;
    }

    /// @notice The optional initial buy with the attached native value.
    /// @dev Type string: InitialBuyParams(address recipient,uint256 minimumOut)
    /// @param recipient Receives the bought tokens; ignored without attached value.
    /// @param minimumOut Minimum amount of tokens. The launch reverts if the buy yields less.
    struct InitialBuyParams {
        address recipient;
        uint256 minimumOut;
    }

    /// @notice A token was launched. The event contains all public data of the launch, so that an index can be rebuilt
    /// from the chain alone.
    event Launched(
        address indexed token,
        address indexed creator,
        address indexed splitter,
        address pool,
        string name,
        string symbol,
        string contractURI,
        int24 tickStart,
        int24 tickLower,
        int24 tickUpper,
        uint128 liquidity,
        uint16 totalFeeBps,
        uint16 protocolFeeBps,
        address partner,
        uint16 partnerShareBps,
        bytes32 salt
    );

    /// @notice The creator bought tokens within the launch.
    /// @param amountIn Native spent.
    /// @param amountOut Tokens bought.
    /// @param refunded Native refunded to the creator.
    event InitialBuy(
        address indexed token, address indexed recipient, uint256 amountIn, uint256 amountOut, uint256 refunded
    );

    /// @notice The creator revoked every signature for `launchFor` that it made in an earlier epoch.
    event LaunchesCancelled(address indexed creator, uint256 epoch);

    /// @notice The treasury changed the share of a partner, for later launches only. A change of the treasury sets all
    /// shares to zero without an event.
    event PartnerShareChanged(address indexed partner, uint16 previousShareBps, uint16 shareBps);

    error LaunchFactory_InvalidSplitter(address splitter);
    error LaunchFactory_InvalidFee(uint16 feeBps);
    error LaunchFactory_InvalidPartner(address partner);
    error LaunchFactory_InvalidPartnerShare(uint16 shareBps, uint16 maximum);
    error LaunchFactory_NotTreasury(address caller);
    error LaunchFactory_WrongValue(uint256 value, uint256 expected);
    error LaunchFactory_Expired(uint256 deadline, uint256 timestamp);
    error LaunchFactory_InvalidSignature(address creator);
    error LaunchFactory_SaltTaken(address token);
    error LaunchFactory_PoolTaken(address pool, uint160 sqrtPriceX96, uint160 expectedSqrtPriceX96);
    error LaunchFactory_InitialBuyTooSmall(uint256 amountOut, uint256 minimumOut);
    error LaunchFactory_InvalidRecipient(address recipient);
    error LaunchFactory_NotPool(address caller);
    error LaunchFactory_RefundFailed(address to, uint256 amount);
    error LaunchFactory_NotWrappedNative(address caller);
    error LaunchFactory_StartPriceMissed(int24 tick, int24 expectedTick);
    error LaunchFactory_SupplyNotPlaced(uint256 placed, uint256 supply);
    error LaunchFactory_InvalidAddress(address account);
    error LaunchFactory_InvalidStartTick(int24 startTick);
    error LaunchFactory_InvalidStartPrices(uint160 sqrtPriceX96IfToken0, uint160 sqrtPriceX96IfToken1);
    error LaunchFactory_InvalidLiquidity(uint128 liquidityIfToken0, uint128 liquidityIfToken1);

    /// @notice Deploys the token, opens its pool, locks the supply, and buys with the attached value, if any. The caller
    /// is the creator.
    /// @dev Reverts with LaunchFactory_PoolTaken or LaunchFactory_StartPriceMissed if the pool exists at another price
    /// or tick (retry with another salt), with LaunchFactory_SaltTaken if the same creator has launched the same
    /// parameters with the same salt before, with LaunchFactory_InvalidSplitter or an error of IFeeSplitter if the
    /// splitter's code is not that of a clone with valid entries, and with LaunchFactory_InvalidFee if `feeBps` is no tier
    /// of launches or the Uniswap v3 factory lacks it.
    /// @return token The new token.
    /// @return pool Its Uniswap v3 pool against the wrapped native token.
    /// @return amountOut Tokens bought by the initial buy; 0 without one.
    function launch(LaunchParams calldata params, InitialBuyParams calldata buy)
        external
        payable
        returns (address token, address pool, uint256 amountOut);

    /// @notice Launches for `creator`, with its signature over all arguments. Callable by anyone, who pays the value; the
    /// caller can change nothing. A refund of the initial buy goes to the creator.
    /// @dev Type string: Launch(address creator,LaunchParams params,InitialBuyParams buy,uint256 value,uint256 deadline,
    /// uint256 epoch) without the line break, followed by those of InitialBuyParams and LaunchParams. `epoch` is the present
    /// `epochOf(creator)`: after `cancel`, an earlier signature reverts with LaunchFactory_InvalidSignature. The salt makes
    /// a second use of the signature revert with LaunchFactory_SaltTaken. The splitter must be one that SPLITTER_FACTORY has
    /// recorded, otherwise LaunchFactory_InvalidSplitter: the signed address then determines payees and shares.
    /// @param value The attached native, exactly.
    /// @param deadline Unix seconds. The last second at which the signature is valid.
    /// @param signature 65 bytes (r, s, v) with a low `s`, of the creator's key; or any bytes that a creator with code
    /// accepts by ERC-1271. Not ERC-6492: the creator's code must exist.
    function launchFor(
        address creator,
        LaunchParams calldata params,
        InitialBuyParams calldata buy,
        uint256 value,
        uint256 deadline,
        bytes calldata signature
    ) external payable returns (address token, address pool, uint256 amountOut);

    /// @notice Revokes every signature that the caller has made for `launchFor`, by a new epoch. Does not affect launches
    /// that exist. A launch that is mined first still happens.
    function cancel() external;

    /// @notice The epoch that a signature of `creator` must contain: the number of its calls of `cancel`.
    function epochOf(address creator) external view returns (uint256);

    /// @notice Sets the share of `partner` in the protocol share of later launches, 0..MAX_PARTNER_SHARE_BPS. Only the
    /// locker's treasury. Launches that exist keep their share. The share applies while the caller is the treasury:
    /// another treasury starts without partners.
    function setPartnerShare(address partner, uint16 shareBps) external;

    /// @notice The share of `partner` in the protocol share of launches that name it, in basis points: the share that the
    /// present treasury has set.
    function partnerShareBps(address partner) external view returns (uint16);

    /// @notice The EIP-712 digest that the creator signs for `launchFor` in its present epoch.
    function digestOf(
        address creator,
        LaunchParams calldata params,
        InitialBuyParams calldata buy,
        uint256 value,
        uint256 deadline
    ) external view returns (bytes32);

    /// @notice The token and pool addresses of a launch of `params` by `creator`.
    function predict(address creator, LaunchParams calldata params) external view returns (address token, address pool);

    /// @notice keccak256(abi.encode(creator, params.salt, keccak256(abi.encode(params)))).
    function effectiveSalt(address creator, LaunchParams calldata params) external pure returns (bytes32);

    function LOCKER() external view returns (address);
    function UNISWAP_FACTORY() external view returns (address);
    function WRAPPED_NATIVE() external view returns (address);
    function SPLITTER_FACTORY() external view returns (address);
    function SPLITTER_IMPLEMENTATION() external view returns (address);
    /// @notice The start tick if the token is token1. If the token is token0, its negative applies.
    function START_TICK() external view returns (int24);
    /// @notice The protocol share, in basis points of the traded volume, of every launch.
    function PROTOCOL_FEE_BPS() external view returns (uint16);
    function MAX_PARTNER_SHARE_BPS() external view returns (uint16);
}

// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title ILaunchFactory
/// @notice Launches a token: deploys it, opens its Uniswap v3 pool at the exact start price, locks the whole supply as
/// one single-sided position and records an immutable fee policy.
/// @dev Assumes that the Uniswap v3 factory and the wrapped native token set at deployment are genuine.
/// WARNING: anyone can create the pool of a predicted token address before the launch. The factory initialises a pool
/// that is not initialised. A pool at another price than the start price reverts the launch: retry with another salt.
interface ILaunchFactory {
    /// @notice Parameters that the creator chooses. The token's address depends on all of them.
    /// @param name The token's name. The service expects 1..64 bytes; the contract accepts up to 24,575 bytes in all
    /// texts.
    /// @param symbol The token's symbol.
    /// @param contractURI The ERC-7572 metadata URI, usually a `data:application/json` document.
    /// @param splitter Receives the collaborators' part of the fees. Must have code and not be a contract of this
    /// system.
    /// @param salt Chosen by the caller. The effective salt also depends on the caller and on these parameters.
    /// @param partner Receives a part of the protocol share; zero for none.
    /// @param partnerShareBps The partner's part of the protocol share, 0..MAX_PARTNER_SHARE_BPS; 0 without a partner.
    struct LaunchParams {
        string name;
        string symbol;
        string contractURI;
        address splitter;
        bytes32 salt;
        address partner;
        uint16 partnerShareBps;
    }

    /// @notice The optional initial buy with the attached native value.
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
    /// @param refunded Native refunded to the caller.
    event InitialBuy(
        address indexed token, address indexed recipient, uint256 amountIn, uint256 amountOut, uint256 refunded
    );

    error LaunchFactory_InvalidSplitter(address splitter);
    error LaunchFactory_InvalidPartner(address partner, uint16 partnerShareBps, uint16 maxPartnerShareBps);
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
    error LaunchFactory_InvalidTickSpacing(int24 tickSpacing, int24 expected);
    error LaunchFactory_InvalidStartTick(int24 startTick);
    error LaunchFactory_InvalidStartPrices(uint160 sqrtPriceX96IfToken0, uint160 sqrtPriceX96IfToken1);
    error LaunchFactory_InvalidLiquidity(uint128 liquidityIfToken0, uint128 liquidityIfToken1);

    /// @notice Deploys the token, opens its pool, locks the supply, and buys with the attached value, if any.
    /// @dev Reverts with LaunchFactory_PoolTaken or LaunchFactory_StartPriceMissed if the pool exists at another price
    /// or tick (retry with another salt), and with LaunchFactory_SaltTaken if the same caller has launched the same
    /// parameters with the same salt before.
    /// @return token The new token.
    /// @return pool Its Uniswap v3 pool against the wrapped native token.
    /// @return amountOut Tokens bought by the initial buy; 0 without one.
    function launch(LaunchParams calldata params, InitialBuyParams calldata buy)
        external
        payable
        returns (address token, address pool, uint256 amountOut);

    /// @notice The token and pool addresses of a launch of `params` by `creator`.
    function predict(address creator, LaunchParams calldata params) external view returns (address token, address pool);

    /// @notice keccak256(abi.encode(creator, params.salt, keccak256(abi.encode(params)))).
    function effectiveSalt(address creator, LaunchParams calldata params) external pure returns (bytes32);

    function LOCKER() external view returns (address);
    function UNISWAP_FACTORY() external view returns (address);
    function WRAPPED_NATIVE() external view returns (address);
    /// @notice The start tick if the token is token1. If the token is token0, its negative applies.
    function START_TICK() external view returns (int24);
    function TOTAL_FEE_BPS() external view returns (uint16);
    function PROTOCOL_FEE_BPS() external view returns (uint16);
    function MAX_PARTNER_SHARE_BPS() external view returns (uint16);
}

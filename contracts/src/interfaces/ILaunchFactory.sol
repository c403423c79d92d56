// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title ILaunchFactory
/// @notice Launches a token: deploys it, opens its Uniswap v3 pool at the exact start price, locks the whole supply
/// as one single-sided position and records the fee policy for ever.
/// @dev Assumptions on the outside: the Uniswap v3 factory and the wrapped native token given at deployment are the
/// genuine ones.
/// WARNING: a pool of a predicted token address can be created by anybody beforehand. One that exists uninitialised
/// is initialised here; one at any other price than the start price reverts the launch whole. Retry with another salt.
interface ILaunchFactory {
    /// @notice Everything the creator decides. All of it is bound into the token's address.
    /// @param name The token's name; the service expects 1..64 bytes, the contract takes any up to 24,575 in all texts.
    /// @param symbol The token's symbol.
    /// @param contractURI The ERC-7572 metadata URI, usually a `data:application/json` document.
    /// @param splitter Receives the collaborators' part of the fees; must have code and not be a part of this system.
    /// @param salt Chosen by the caller; the effective salt also binds the caller and these parameters.
    /// @param partner Receives a part of the protocol's share; zero for none.
    /// @param partnerShareBps The partner's part of the protocol's share, 0..MAX_PARTNER_SHARE_BPS; 0 if no partner.
    struct LaunchParams {
        string name;
        string symbol;
        string contractURI;
        address splitter;
        bytes32 salt;
        address partner;
        uint16 partnerShareBps;
    }

    /// @notice The optional first buy with the attached native value.
    /// @param recipient Receives the bought tokens; ignored when no value is attached.
    /// @param minimumOut Reverts when the buy yields less.
    struct InitialBuy {
        address recipient;
        uint256 minimumOut;
    }

    /// @notice A token was launched. Holds everything public about the launch, so that an index can be rebuilt from
    /// the chain alone.
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

    /// @notice The creator's initial buy within the launch.
    event InitiallyBought(
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

    /// @notice Deploys the token, opens its pool, locks the supply; buys with the attached value, if any.
    /// @dev Reverts with LaunchFactory_PoolTaken or LaunchFactory_StartPriceMissed when the pool exists at another price
    /// or tick (another salt helps against both), LaunchFactory_SaltTaken when
    /// the same caller launched the same parameters with the same salt before.
    /// @return token The new token.
    /// @return pool Its Uniswap v3 pool against the wrapped native token.
    /// @return amountOut The tokens bought by the initial buy, 0 without one.
    function launch(LaunchParams calldata params, InitialBuy calldata buy)
        external
        payable
        returns (address token, address pool, uint256 amountOut);

    /// @notice The token and pool addresses that `creator` would get for `params`.
    function predict(address creator, LaunchParams calldata params) external view returns (address token, address pool);

    /// @notice keccak256(abi.encode(creator, params.salt, keccak256(abi.encode(params)))).
    function effectiveSalt(address creator, LaunchParams calldata params) external pure returns (bytes32);

    function LOCKER() external view returns (address);
    function UNISWAP_FACTORY() external view returns (address);
    function WRAPPED_NATIVE() external view returns (address);
    /// @notice The start tick when the token is token1; the negative of it when the token is token0.
    function START_TICK() external view returns (int24);
    function TOTAL_FEE_BPS() external view returns (uint16);
    function PROTOCOL_FEE_BPS() external view returns (uint16);
    function MAX_PARTNER_SHARE_BPS() external view returns (uint16);
}

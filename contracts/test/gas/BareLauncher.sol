// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SafeTransferLib} from "solady/utils/SafeTransferLib.sol";
import {SSTORE2} from "solady/utils/SSTORE2.sol";

import {IUniswapV3MintCallback} from "../../src/interfaces/external/IUniswapV3Callbacks.sol";
import {IUniswapV3Factory} from "../../src/interfaces/external/IUniswapV3Factory.sol";
import {IUniswapV3Pool} from "../../src/interfaces/external/IUniswapV3Pool.sol";
import {BarePayer} from "./BarePayer.sol";

/// @notice The minimal launch: the same token by CREATE2, its pool, the start price and the position. It makes no
/// checks, stores nothing and emits nothing. It is unsafe to use; its gas is the floor for a launch.
contract BareLauncher is IUniswapV3MintCallback {
    struct Setup {
        IUniswapV3Factory uniswap;
        address weth;
        int24 startTick;
        uint160 sqrtPriceIfToken0;
        uint160 sqrtPriceIfToken1;
        uint128 liquidityIfToken0;
        uint128 liquidityIfToken1;
    }

    int24 private constant MAX_TICK = 886_800;

    IUniswapV3Factory private immutable _UNISWAP;
    address private immutable _WETH;
    int24 private immutable _START_TICK;
    uint160 private immutable _SQRT_PRICE_IF_TOKEN0;
    uint160 private immutable _SQRT_PRICE_IF_TOKEN1;
    uint128 private immutable _LIQUIDITY_IF_TOKEN0;
    uint128 private immutable _LIQUIDITY_IF_TOKEN1;
    address private immutable _TOKEN_CODE;

    /// @param tokenCode The released token's creation code, so that the token is identical.
    constructor(Setup memory setup, bytes memory tokenCode) {
        _UNISWAP = setup.uniswap;
        _WETH = setup.weth;
        _START_TICK = setup.startTick;
        _SQRT_PRICE_IF_TOKEN0 = setup.sqrtPriceIfToken0;
        _SQRT_PRICE_IF_TOKEN1 = setup.sqrtPriceIfToken1;
        _LIQUIDITY_IF_TOKEN0 = setup.liquidityIfToken0;
        _LIQUIDITY_IF_TOKEN1 = setup.liquidityIfToken1;
        _TOKEN_CODE = SSTORE2.write(tokenCode);
    }

    function launch(
        string calldata name,
        string calldata symbol,
        string calldata contractURI,
        bytes32 salt,
        uint24 poolFee
    ) external returns (address token, address pool) {
        bytes memory code =
            abi.encodePacked(SSTORE2.read(_TOKEN_CODE), abi.encode(name, symbol, contractURI, address(this)));
        assembly ("memory-safe") {
            token := create2(0, add(code, 32), mload(code), salt)
        }
        pool = _UNISWAP.createPool(token, _WETH, poolFee);
        bool tokenIsToken0 = token < _WETH;
        IUniswapV3Pool(pool).initialize(tokenIsToken0 ? _SQRT_PRICE_IF_TOKEN0 : _SQRT_PRICE_IF_TOKEN1);
        (int24 lower, int24 upper) = tokenIsToken0 ? (-_START_TICK, MAX_TICK) : (-MAX_TICK, _START_TICK);
        uint128 liquidity = tokenIsToken0 ? _LIQUIDITY_IF_TOKEN0 : _LIQUIDITY_IF_TOKEN1;
        IUniswapV3Pool(pool).mint(address(this), lower, upper, liquidity, abi.encode(token));
    }

    function uniswapV3MintCallback(uint256 amount0Owed, uint256 amount1Owed, bytes calldata data) external {
        SafeTransferLib.safeTransfer(abi.decode(data, (address)), msg.sender, amount0Owed | amount1Owed);
    }

    /// @notice Collects the fees of its own position.
    function collect(IUniswapV3Pool pool, int24 lower, int24 upper) external {
        pool.burn(lower, upper, 0);
        pool.collect(address(this), lower, upper, type(uint128).max, type(uint128).max);
    }

    /// @notice Collects the fees of its own position and pays them out, in one transaction.
    function claim(IUniswapV3Pool pool, int24 lower, int24 upper, BarePayer.Payment[] calldata payments) external {
        pool.burn(lower, upper, 0);
        pool.collect(address(this), lower, upper, type(uint128).max, type(uint128).max);
        for (uint256 i; i < payments.length; ++i) {
            SafeTransferLib.safeTransfer(payments[i].asset, payments[i].to, payments[i].amount);
        }
    }

    /// @notice Sends from its balance.
    function send(address asset, address to, uint256 amount) external {
        SafeTransferLib.safeTransfer(asset, to, amount);
    }

    /// @notice The address of the token that `launch` deploys.
    function predict(bytes calldata arguments, bytes32 salt) external view returns (address) {
        bytes32 codeHash = keccak256(abi.encodePacked(SSTORE2.read(_TOKEN_CODE), arguments));
        return address(uint160(uint256(keccak256(abi.encodePacked(hex"ff", address(this), salt, codeHash)))));
    }
}

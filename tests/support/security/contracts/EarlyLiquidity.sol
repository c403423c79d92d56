// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface IWrapped {
    function deposit() external payable;
    function transfer(address to, uint256 amount) external returns (bool);
}

interface IFactory {
    function createPool(address tokenA, address tokenB, uint24 fee) external returns (address);
}

interface IPool {
    function initialize(uint160 sqrtPriceX96) external;
    function mint(address owner, int24 lower, int24 upper, uint128 liquidity, bytes calldata data)
        external
        returns (uint256, uint256);
    function burn(int24 lower, int24 upper, uint128 liquidity) external returns (uint256, uint256);
    function collect(address to, int24 lower, int24 upper, uint128 amount0, uint128 amount1)
        external
        returns (uint128, uint128);
}

/// @dev Opens the pool of a token that does not exist yet and places wrapped native in it, which needs no token.
contract EarlyLiquidity {
    IWrapped private immutable WRAPPED;

    constructor(IWrapped wrapped) {
        WRAPPED = wrapped;
    }

    function open(IFactory factory, address token, uint24 fee, uint160 price) external returns (address pool) {
        pool = factory.createPool(token, address(WRAPPED), fee);
        IPool(pool).initialize(price);
    }

    function place(IPool pool, int24 lower, int24 upper, uint128 liquidity) external payable {
        WRAPPED.deposit{value: msg.value}();
        pool.mint(address(this), lower, upper, liquidity, "");
    }

    function take(IPool pool, int24 lower, int24 upper, uint128 liquidity) external {
        pool.burn(lower, upper, liquidity);
    }

    function collect(IPool pool, int24 lower, int24 upper) external {
        pool.collect(address(this), lower, upper, type(uint128).max, type(uint128).max);
    }

    function uniswapV3MintCallback(uint256 owed0, uint256 owed1, bytes calldata) external {
        require(owed0 == 0 || owed1 == 0, "needs the token");
        WRAPPED.transfer(msg.sender, owed0 + owed1);
    }
}

// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {GasTest} from "./GasTest.sol";

interface ISwapRouter02 {
    struct ExactInputSingleParams {
        address tokenIn;
        address tokenOut;
        uint24 fee;
        address recipient;
        uint256 amountIn;
        uint256 amountOutMinimum;
        uint160 sqrtPriceLimitX96;
    }

    function exactInputSingle(ExactInputSingleParams calldata params) external payable returns (uint256 amountOut);
    function multicall(uint256 deadline, bytes[] calldata data) external payable returns (bytes[] memory results);
}

/// @notice Buys with native through the published router, in the call that the service builds. The gas floor is the same
/// buy on a plain v3 pool with the same token, price and position.
/// forge-config: default.isolate = true
/// forge-config: release.isolate = true
contract FirstBuyGasTest is GasTest {
    /// @dev Gas of a first buy on a launchpad that starts with many positions (Doppler v3).
    uint256 private constant MANY_POSITIONS_FIRST_BUY = 427_700;

    ISwapRouter02 private _router;

    function setUp() public override {
        super.setUp();
        _router =
            ISwapRouter02(deployVendor("uniswap-v3/SwapRouter02", abi.encode(address(0), uniswap, address(0), weth)));
        vm.deal(alice, 10 ether);
        vm.deal(bob, 10 ether);
    }

    function test_FirstBuyOfToken0_CostsWhatAPlainSwapCosts() external {
        _compare(true);
    }

    function test_FirstBuyOfToken1_CostsWhatAPlainSwapCosts() external {
        _compare(false);
    }

    function _compare(bool tokenIsToken0) private {
        Launch memory launched = launchWith(tokenIsToken0);
        Launch memory plain = launchBare(paramsWith(address(0)), tokenIsToken0);

        string memory name = string.concat("first buy, ", orderName(tokenIsToken0));
        uint256 gasUsed = _buy(alice, launched.token, name);
        uint256 floorGas = _buy(alice, plain.token, string.concat(name, ", floor"));
        assertLt(gasUsed, MANY_POSITIONS_FIRST_BUY);
        assertApproxEqRel(gasUsed, floorGas, 0.01e18);

        name = string.concat("next buy, ", orderName(tokenIsToken0));
        gasUsed = _buy(bob, launched.token, name);
        assertApproxEqRel(gasUsed, _buy(bob, plain.token, string.concat(name, ", floor")), 0.01e18);
    }

    function _buy(address buyer, address token, string memory name) private returns (uint256) {
        ISwapRouter02.ExactInputSingleParams memory params = ISwapRouter02.ExactInputSingleParams({
            tokenIn: address(weth),
            tokenOut: token,
            fee: POOL_FEE,
            recipient: buyer,
            amountIn: 0.1 ether,
            amountOutMinimum: 1,
            sqrtPriceLimitX96: 0
        });
        bytes[] memory calls = new bytes[](1);
        calls[0] = abi.encodeCall(ISwapRouter02.exactInputSingle, (params));
        // One second after the launch, so that the pool writes an oracle observation, as in a later block.
        vm.warp(vm.getBlockTimestamp() + 1);
        vm.prank(buyer);
        _router.multicall{value: 0.1 ether}(vm.getBlockTimestamp() + 60, calls);
        return record("FirstBuy", name);
    }
}

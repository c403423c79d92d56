// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IUniswapV3SwapCallback} from "../../src/interfaces/external/IUniswapV3Callbacks.sol";
import {ILaunchFactory} from "../../src/interfaces/ILaunchFactory.sol";
import {SlipwayTest} from "../utils/SlipwayTest.sol";

contract LaunchFactoryViewsTest is SlipwayTest {
    function test_WhenAnotherAccountCallsTheSwapCallback() external {
        fundNative(address(factory), 1 ether);
        address pool = launchWith(true).pool;
        address[3] memory callers = [address(this), pool, address(locker)];
        for (uint256 i; i < callers.length; ++i) {
            vm.expectRevert(abi.encodeWithSelector(ILaunchFactory.LaunchFactory_NotPool.selector, callers[i]));
            vm.prank(callers[i]);
            IUniswapV3SwapCallback(address(factory)).uniswapV3SwapCallback(1, 0, "");
        }
    }

    function test_WhenAnotherAccountThanTheWrappedNativeTokenSendsNative() external {
        vm.prank(creator);
        (bool success, bytes memory reason) = address(factory).call{value: 1}("");
        assertFalse(success);
        assertEq(
            reason, abi.encodeWithSelector(ILaunchFactory.LaunchFactory_NotWrappedNative.selector, creator)
        );
    }

    function test_WhenAnyParameterOrTheCallerDiffers() external {
        ILaunchFactory.LaunchParams[8] memory variants;
        for (uint256 i; i < 8; ++i) {
            variants[i] = paramsWith(address(1));
            variants[i].salt = 0;
        }
        variants[1].name = "Other";
        variants[2].symbol = "OTHER";
        variants[3].contractURI = "ipfs://other";
        variants[4].splitter = address(2);
        variants[5].salt = bytes32(uint256(1));
        variants[6].partner = partner;
        variants[7].feeBps = 30;
        address[9] memory tokens;
        for (uint256 i; i < 8; ++i) {
            (tokens[i],) = factory.predict(creator, variants[i]);
        }
        (tokens[8],) = factory.predict(alice, variants[0]);
        for (uint256 i; i < 9; ++i) {
            for (uint256 j; j < i; ++j) {
                assertNotEq(tokens[i], tokens[j]);
            }
        }
    }

    function test_WhenTheEffectiveSaltIsRead() external {
        ILaunchFactory.LaunchParams memory params = paramsWith(address(1));
        bytes32 expected = keccak256(abi.encode(creator, params.salt, keccak256(abi.encode(params))));
        assertEq(factory.effectiveSalt(creator, params), expected);
    }
}

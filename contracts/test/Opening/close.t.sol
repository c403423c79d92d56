// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SafeCastLib} from "solady/utils/SafeCastLib.sol";

import {ILaunchFactory} from "../../src/interfaces/ILaunchFactory.sol";
import {IOpening} from "../../src/interfaces/IOpening.sol";
import {OpeningTest} from "../utils/OpeningTest.sol";

contract OpeningCloseTest is OpeningTest {
    function test_WhenTheTokenWasLaunchedWithoutTheOpening() external {
        depositFor(alice, CAP);
        (address token, uint256 bought) = launchDirectly(1 ether);
        address[3] memory callers = [stranger, creator, alice];
        for (uint256 i; i < 3; ++i) {
            uint256 snapshot = vm.snapshotState();
            vm.expectEmit(address(opening));
            emit IOpening.Closed(token, bought);
            vm.prank(callers[i]);
            closeWithSalt();
            assertEq(opening.token(), token);
            assertEq(opening.received(), bought);
            assertEq(opening.closedAt(), block.timestamp);
            assertEq(opening.spent(), 0);
            assertEq(opening.total(), CAP);
            assertFalse(opening.isOpened());
            vm.revertToState(snapshot);
        }
    }

    function test_WhenNoTokensArrived() external {
        (address token,) = launchDirectly(0);
        vm.expectEmit(address(opening));
        emit IOpening.Closed(token, 0);
        closeWithSalt();
        assertEq(opening.received(), 0);
    }

    function test_WhenMoreTokensArrivedThanAnAmountCanBe() external {
        (address token,) = launchDirectly(0);
        uint256 maximum = type(uint96).max;
        deal(token, address(opening), maximum + 1);
        ILaunchFactory.LaunchParams memory params = authorizeOpening(0).params;
        vm.expectRevert(SafeCastLib.Overflow.selector);
        opening.close(params);
        deal(token, address(opening), maximum);
        opening.close(params);
        assertEq(opening.received(), maximum);
        assertEq(opening.token(), token);
    }

    function test_WhenTheTokenDoesNotExist() external {
        ILaunchFactory.LaunchParams memory params = authorizeOpening(0).params;
        (address token,) = factory.predict(creator, params);
        vm.expectRevert(abi.encodeWithSelector(IOpening.Opening_NotLaunched.selector, token));
        opening.close(params);
        // Another salt does not close.
        launchDirectly(0);
        params.salt = "another";
        (token,) = factory.predict(creator, params);
        vm.expectRevert(abi.encodeWithSelector(IOpening.Opening_NotLaunched.selector, token));
        opening.close(params);
        assertEq(opening.closedAt(), 0);
    }

    function test_WhenAnotherAccountLaunchedTheSameParameters() external {
        ILaunchFactory.LaunchParams memory params = authorizeOpening(0).params;
        vm.prank(stranger);
        factory.launch(params, noBuy());
        (address token,) = factory.predict(creator, params);
        vm.expectRevert(abi.encodeWithSelector(IOpening.Opening_NotLaunched.selector, token));
        opening.close(params);
    }

    function test_WhenAParameterDiffers() external {
        ILaunchFactory.LaunchParams memory params = authorizeOpening(0).params;
        params.symbol = "OTHER";
        vm.prank(creator);
        factory.launch(params, noBuy());
        bytes32 actual = keccak256(
            abi.encode(params.name, params.symbol, params.contractURI, params.splitter, params.partner, params.feeBps)
        );
        bytes32 expected = opening.paramsHash();
        vm.expectRevert(abi.encodeWithSelector(IOpening.Opening_WrongParams.selector, actual, expected));
        opening.close(params);
    }

    function test_WhenItOpenedAlready() external {
        depositFor(alice, CAP);
        open(MINIMUM);
        ILaunchFactory.LaunchParams memory params = authorizeOpening(0).params;
        vm.expectRevert(IOpening.Opening_Closed.selector);
        opening.close(params);
        assertTrue(opening.isOpened());
    }

    function test_WhenItWasClosedAlready() external {
        launchDirectly(0);
        closeWithSalt();
        skipToNextSecond();
        ILaunchFactory.LaunchParams memory params = authorizeOpening(0).params;
        vm.expectRevert(IOpening.Opening_Closed.selector);
        opening.close(params);
        // Also with other parameters.
        params.name = "Another";
        vm.expectRevert(IOpening.Opening_Closed.selector);
        opening.close(params);
    }

    function test_WhenTheDeadlinePassed() external {
        (address token,) = launchDirectly(0);
        vm.warp(DEADLINE + 1_000 days);
        closeWithSalt();
        assertEq(opening.token(), token);
    }

    function test_WhenItIsCalledOnTheImplementation() external {
        IOpening implementation = IOpening(payable(openings.IMPLEMENTATION()));
        vm.expectRevert(IOpening.Opening_NotClone.selector);
        implementation.close(terms);
    }
}

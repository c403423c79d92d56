// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IUniswapV3Pool} from "../../src/interfaces/external/IUniswapV3Pool.sol";
import {ILaunchFactory} from "../../src/interfaces/ILaunchFactory.sol";
import {IOpening} from "../../src/interfaces/IOpening.sol";
import {OwnedWallet} from "../utils/LaunchSigner.sol";
import {OpeningTest} from "../utils/OpeningTest.sol";

contract OpeningOpenTest is OpeningTest {
    function test_WhenTheCreatorSigned() external {
        depositFor(alice, 9 ether);
        depositFor(bob, 3 ether);
        Authorization memory authorization = authorizeOpening(6 ether);
        (address token, address pool) = factory.predict(creator, authorization.params);
        bytes memory signature = sign(authorization);
        uint256 snapshot = vm.snapshotState();
        authorization.buy.recipient = address(opening);
        (,, uint256 expected) = launchFor(authorization, signature);
        vm.revertToState(snapshot);
        address[3] memory callers = [stranger, creator, alice];
        for (uint256 i; i < 3; ++i) {
            snapshot = vm.snapshotState();
            uint256 creatorBefore = creator.balance;
            vm.expectEmit(address(opening));
            emit IOpening.Opened(token, 6 ether, expected);
            vm.prank(callers[i]);
            assertEq(opening.open(authorization.params, 6 ether, 1, signature), expected);
            assertEq(balance(token, address(opening)), expected);
            assertEq(address(opening).balance, 6 ether);
            assertEq(balance(address(weth), pool), 6 ether);
            assertEq(creator.balance, creatorBefore);
            assertEq(opening.token(), token);
            assertEq(opening.received(), expected);
            assertEq(opening.spent(), 6 ether);
            assertEq(opening.total(), 12 ether);
            assertEq(opening.closedAt(), block.timestamp);
            assertTrue(opening.isOpened());
            assertEq(locker.positionOf(token).splitter, terms.splitter);
            vm.revertToState(snapshot);
        }
    }

    function test_WhenTheValueIsOnABound() external {
        depositFor(alice, CAP + 1);
        uint256[2] memory values = [MINIMUM, CAP];
        for (uint256 i; i < 2; ++i) {
            uint256 snapshot = vm.snapshotState();
            open(values[i]);
            assertEq(opening.spent(), values[i]);
            vm.revertToState(snapshot);
        }
        opening = createOpening(MINIMUM, CAP + 1, DEADLINE);
        depositFor(bob, MINIMUM + 1);
        open(MINIMUM + 1);
        assertEq(address(opening).balance, 0);
    }

    function test_WhenTheValueIsOutOfRange() external {
        depositFor(alice, CAP + 1);
        _expectOutOfRange(MINIMUM - 1, CAP);
        _expectOutOfRange(CAP + 1, CAP);
        _expectOutOfRange(0, CAP);
        // Truncated to 104 bits, the value would be in range.
        _expectOutOfRange(2 ** 104 + MINIMUM, CAP);
        opening = createOpening(MINIMUM, CAP + 1, DEADLINE);
        depositFor(bob, MINIMUM + 1);
        _expectOutOfRange(MINIMUM + 2, MINIMUM + 1);
    }

    function test_WhenTheDepositsDoNotReachTheMinimum() external {
        depositFor(alice, MINIMUM - 1);
        _expectOutOfRange(MINIMUM, MINIMUM - 1);
        _expectOutOfRange(MINIMUM - 1, MINIMUM - 1);
        _expectOutOfRange(0, MINIMUM - 1);
        // Native that is not a deposit does not count.
        vm.deal(address(opening), MINIMUM);
        _expectOutOfRange(MINIMUM, MINIMUM - 1);
    }

    function test_WhenTheDeadlineIsReached() external {
        depositFor(alice, MINIMUM);
        vm.warp(DEADLINE);
        open(MINIMUM);
        assertEq(opening.closedAt(), DEADLINE);
    }

    function test_WhenTheDeadlinePassed() external {
        depositFor(alice, MINIMUM);
        vm.warp(DEADLINE + 1);
        _expectOpenRevert(
            authorizeOpening(MINIMUM), abi.encodeWithSelector(IOpening.Opening_Expired.selector, DEADLINE, DEADLINE + 1)
        );
    }

    function test_WhenItOpenedAlready() external {
        depositFor(alice, CAP);
        open(MINIMUM);
        _expectOpenRevert(authorizeOpening(MINIMUM), abi.encodeWithSelector(IOpening.Opening_Closed.selector));
        Authorization memory another = authorizeOpening(MINIMUM);
        another.params.salt = "another";
        _expectOpenRevert(another, abi.encodeWithSelector(IOpening.Opening_Closed.selector));
    }

    function test_WhenItWasClosed() external {
        depositFor(alice, CAP);
        launchDirectly(0);
        closeWithSalt();
        Authorization memory another = authorizeOpening(MINIMUM);
        another.params.salt = "another";
        _expectOpenRevert(another, abi.encodeWithSelector(IOpening.Opening_Closed.selector));
    }

    function test_WhenAParameterDiffers() external {
        depositFor(alice, CAP);
        bytes32 expected = opening.paramsHash();
        for (uint256 i; i < 6; ++i) {
            Authorization memory authorization = authorizeOpening(MINIMUM);
            ILaunchFactory.LaunchParams memory params = authorization.params;
            if (i == 0) params.name = "Slip2";
            if (i == 1) params.symbol = "SLIP2";
            if (i == 2) params.contractURI = "data:application/json,{ }";
            if (i == 3) params.splitter = makeSplitter();
            if (i == 4) params.partner = partner;
            if (i == 5) params.feeBps = 30;
            bytes32 actual = keccak256(
                abi.encode(
                    params.name, params.symbol, params.contractURI, params.splitter, params.partner, params.feeBps
                )
            );
            _expectOpenRevert(
                authorization, abi.encodeWithSelector(IOpening.Opening_WrongParams.selector, actual, expected)
            );
        }
    }

    function test_WhenTheSaltDiffers() external {
        depositFor(alice, CAP);
        for (uint256 i; i < 3; ++i) {
            uint256 snapshot = vm.snapshotState();
            Authorization memory authorization = authorizeOpening(MINIMUM);
            authorization.params.salt = bytes32(i);
            (address token,) = factory.predict(creator, authorization.params);
            openWith(authorization);
            assertEq(opening.token(), token);
            vm.revertToState(snapshot);
        }
    }

    function test_WhenAnotherLaunchWasSigned() external {
        depositFor(alice, CAP);
        ILaunchFactory.LaunchParams memory params = authorizeOpening(MINIMUM).params;
        bytes memory invalid = abi.encodeWithSelector(ILaunchFactory.LaunchFactory_InvalidSignature.selector, creator);
        for (uint256 i; i < 5; ++i) {
            Authorization memory signed = authorizeOpening(MINIMUM);
            if (i == 0) signed.value += 1;
            if (i == 1) signed.buy.minimumOut += 1;
            if (i == 2) signed.buy.recipient = creator;
            if (i == 3) signed.deadline += 1;
            if (i == 4) signed.params.salt = "another";
            bytes memory signature = sign(signed);
            vm.expectRevert(invalid);
            opening.open(params, MINIMUM, 1, signature);
        }
        (, uint256 otherKey) = makeAddrAndKey("other");
        bytes memory byOther = signWith(otherKey, authorizeOpening(MINIMUM));
        vm.expectRevert(invalid);
        opening.open(params, MINIMUM, 1, byOther);
        assertFalse(opening.isOpened());
    }

    function test_WhenTheCreatorCancelledTheSignature() external {
        depositFor(alice, CAP);
        Authorization memory authorization = authorizeOpening(MINIMUM);
        bytes memory signature = sign(authorization);
        vm.prank(creator);
        factory.cancel();
        vm.expectRevert(abi.encodeWithSelector(ILaunchFactory.LaunchFactory_InvalidSignature.selector, creator));
        opening.open(authorization.params, MINIMUM, 1, signature);
        open(MINIMUM);
    }

    function test_WhenTheBuyYieldsTooLittle() external {
        depositFor(alice, CAP);
        Authorization memory authorization = authorizeOpening(MINIMUM);
        authorization.buy.minimumOut = SUPPLY;
        bytes memory signature = sign(authorization);
        vm.expectPartialRevert(ILaunchFactory.LaunchFactory_InitialBuyTooSmall.selector);
        opening.open(authorization.params, MINIMUM, SUPPLY, signature);
        assertEq(opening.closedAt(), 0);
        assertEq(address(opening).balance, CAP);
        depositFor(bob, 1);
        open(MINIMUM);
    }

    function test_WhenThePoolWasTaken() external {
        depositFor(alice, CAP);
        Authorization memory authorization = authorizeOpening(MINIMUM);
        (address token, address pool) = factory.predict(creator, authorization.params);
        uniswap.createPool(token, address(weth), POOL_FEE);
        IUniswapV3Pool(pool).initialize(sqrtPriceIfToken0 * 2);
        bytes memory signature = sign(authorization);
        vm.expectPartialRevert(ILaunchFactory.LaunchFactory_PoolTaken.selector);
        opening.open(authorization.params, MINIMUM, 1, signature);
        authorization.params.salt = "another";
        openWith(authorization);
        assertTrue(opening.isOpened());
    }

    function test_WhenTheCreatorHasCode() external {
        address owner = creator;
        creator = address(new OwnedWallet(owner));
        opening = createOpening(MINIMUM, CAP, DEADLINE);
        depositFor(alice, CAP);
        Authorization memory authorization = authorizeOpening(MINIMUM);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(creatorKey, digestOf(authorization));
        opening.open(authorization.params, MINIMUM, 1, abi.encode(r, s, v));
        assertTrue(opening.isOpened());
    }

    function test_WhenNativeIsAttached() external {
        depositFor(alice, CAP);
        Authorization memory authorization = authorizeOpening(MINIMUM);
        bytes memory call = abi.encodeCall(opening.open, (authorization.params, MINIMUM, 1, sign(authorization)));
        vm.prank(alice);
        (bool success,) = address(opening).call{value: 1}(call);
        assertFalse(success);
    }

    function test_WhenItIsCalledOnTheImplementation() external {
        IOpening implementation = IOpening(payable(openings.IMPLEMENTATION()));
        vm.expectRevert(IOpening.Opening_NotClone.selector);
        implementation.open(terms, MINIMUM, 1, "");
    }

    function _expectOutOfRange(uint256 value, uint256 maximum) private {
        _expectOpenRevert(
            authorizeOpening(value),
            abi.encodeWithSelector(IOpening.Opening_ValueOutOfRange.selector, value, MINIMUM, maximum)
        );
    }

    function _expectOpenRevert(Authorization memory authorization, bytes memory reason) private {
        bytes memory signature = sign(authorization);
        vm.expectRevert(reason);
        opening.open(authorization.params, authorization.value, authorization.buy.minimumOut, signature);
    }
}

// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "forge-std/interfaces/IERC20.sol";

import {IUniswapV3Pool} from "../../src/interfaces/external/IUniswapV3Pool.sol";
import {ILaunchFactory} from "../../src/interfaces/ILaunchFactory.sol";
import {IOpening} from "../../src/interfaces/IOpening.sol";
import {IOpeningFactory} from "../../src/interfaces/IOpeningFactory.sol";
import {OpeningTest} from "../utils/OpeningTest.sol";
import {ReenteringPayee} from "../utils/TestTokens.sol";

/// @notice Deposits, opens and claims in one call, as with a flash loan.
contract FlashDepositor {
    receive() external payable {}

    function attack(
        IOpening opening,
        ILaunchFactory.LaunchParams calldata params,
        uint256 value,
        bytes calldata signature,
        bool claims
    ) external payable {
        opening.deposit{value: msg.value}(address(this));
        opening.open(params, value, 1, signature);
        if (claims) opening.claim(address(this));
    }
}

/// @notice Forces native into an account.
contract Forcer {
    constructor(address to) payable {
        selfdestruct(payable(to));
    }
}

contract OpeningAttacksTest is OpeningTest {
    /*//////////////////////////////////////////////////////////////
                       C8-51: PARTS OF DEPOSITORS
    //////////////////////////////////////////////////////////////*/

    /// @dev Who deposits, opens, claims and sells before anybody else can claim takes native of the other depositors: of 10
    /// ETH, half of the tokens cost 5 ETH and sell first for more than 8. With a claim in the second of the opening, borrowed
    /// native would do.
    function test_C8_51_NobodyClaimsInTheSecondOfTheOpening() external {
        depositFor(alice, 5 ether);
        Authorization memory authorization = authorizeOpening(10 ether);
        bytes memory signature = sign(authorization);
        FlashDepositor attacker = new FlashDepositor();
        vm.deal(address(this), 5 ether);
        vm.expectRevert(abi.encodeWithSelector(IOpening.Opening_NothingToClaim.selector, address(attacker)));
        attacker.attack{value: 5 ether}(opening, authorization.params, 10 ether, signature, true);

        uint256 snapshot = vm.snapshotState();
        attacker.attack{value: 5 ether}(opening, authorization.params, 10 ether, signature, false);
        expectNothingToClaim(address(attacker));
        assertEq(balance(opening.token(), address(attacker)) + address(attacker).balance, 0, "nothing to repay a loan with");

        // The gain that the rule prevents.
        skipToNextSecond();
        Launch memory launched;
        launched.token = opening.token();
        (, launched.pool) = factory.predict(creator, authorization.params);
        launched.tokenIsToken0 = launched.token < address(weth);
        opening.claim(address(attacker));
        uint256 tokens = balance(launched.token, address(attacker));
        vm.prank(address(attacker));
        IERC20(launched.token).transfer(address(trader), tokens);
        assertGt(sell(launched, tokens), 8 ether);
        vm.revertToState(snapshot);
    }

    /// @dev A deposit in the block of the opening is treated like every other: the parts depend on amounts only.
    function test_C8_51_TheOrderOfDepositsHasNoEffect() external {
        uint256[3] memory amounts = [uint256(3 ether), 5 ether, 7 ether];
        address[3] memory accounts = [alice, bob, stranger];
        uint256 snapshot = vm.snapshotState();
        uint256[6] memory expected;
        for (uint256 shift; shift < 3; ++shift) {
            for (uint256 i; i < 3; ++i) {
                uint256 index = (i + shift) % 3;
                depositFor(accounts[index], amounts[index]);
            }
            open(8 ether);
            skipToNextSecond();
            for (uint256 i; i < 3; ++i) {
                (uint256 tokens, uint256 refund) = opening.claim(accounts[i]);
                if (shift == 0) (expected[i], expected[i + 3]) = (tokens, refund);
                assertEq(tokens, expected[i]);
                assertEq(refund, expected[i + 3]);
            }
            vm.revertToState(snapshot);
        }
    }

    /// @dev An account with a huge deposit makes the parts smaller, but takes nothing of the others: each of them gets back
    /// what its smaller part does not cost.
    function test_C8_51_AHugeDepositCostsTheOthersNothing() external {
        depositFor(alice, 5 ether);
        vm.deal(bob, 10_000_000 ether);
        depositFor(bob, 10_000_000 ether);
        uint256 bought = open(CAP);
        skipToNextSecond();
        (uint256 tokens, uint256 refund) = opening.claim(alice);
        // The price that the opening paid: native / tokens = CAP / bought.
        uint256 cost = 5 ether - refund;
        assertApproxEqAbs(cost * bought, tokens * CAP, bought + CAP);
        assertGt(refund, 4.99 ether);
    }

    /// @dev Many accounts with one wei each cannot make the last one unpayable.
    function test_C8_51_TinyDepositsLockNothing() external {
        for (uint256 i; i < 50; ++i) {
            vm.prank(alice);
            opening.deposit{value: 1}(address(uint160(0xd057 + i)));
        }
        depositFor(bob, 3 ether);
        uint256 bought = open(2 ether);
        skipToNextSecond();
        for (uint256 i; i < 50; ++i) {
            (uint256 tokens, uint256 refund) = opening.claim(address(uint160(0xd057 + i)));
            assertEq(refund, 0);
            assertEq(tokens, bought / (3 ether + 50));
        }
        opening.claim(bob);
        assertLt(balance(opening.token(), address(opening)), 51);
        assertLt(address(opening).balance, 51);
    }

    /*//////////////////////////////////////////////////////////////
                      C8-46: THE POOL IN ADVANCE
    //////////////////////////////////////////////////////////////*/

    /// @dev The terms do not determine the token's address: with every salt it is another one. If somebody learns a salt
    /// before the launch and takes the pool, the creator signs another one.
    function test_C8_46_APoolTakenInAdvanceDoesNotStopTheOpening() external {
        depositFor(alice, CAP);
        address[] memory tokens = new address[](3);
        Authorization memory authorization = authorizeOpening(MINIMUM);
        for (uint256 i; i < 3; ++i) {
            authorization.params.salt = keccak256(abi.encode(i));
            address pool;
            (tokens[i], pool) = factory.predict(creator, authorization.params);
            bytes memory signature = sign(authorization);
            if (i < 2) {
                vm.startPrank(stranger);
                uniswap.createPool(tokens[i], address(weth), POOL_FEE);
                // The price of the launch, and then another one, at no cost.
                IUniswapV3Pool(pool).initialize(
                    i == 0 ? sqrtPriceIfToken0 / 3 : tokens[i] < address(weth) ? sqrtPriceIfToken0 : sqrtPriceIfToken1
                );
                vm.stopPrank();
                if (i == 1) trader.swap(pool, tokens[i] > address(weth), 1);
                vm.expectPartialRevert(ILaunchFactory.LaunchFactory_PoolTaken.selector);
            }
            opening.open(authorization.params, MINIMUM, 1, signature);
        }
        assertTrue(tokens[0] != tokens[1] && tokens[1] != tokens[2]);
        assertEq(opening.token(), tokens[2]);
        assertEq(opening.spent(), MINIMUM);
    }

    /// @dev If no launch is possible, everybody gets everything back.
    function test_C8_46_DepositsReturnWhenNoLaunchIsPossible() external {
        terms.feeBps = 77;
        opening = createOpening(MINIMUM, CAP, DEADLINE);
        depositFor(alice, CAP);
        Authorization memory authorization = authorizeOpening(MINIMUM);
        bytes memory signature = sign(authorization);
        vm.expectRevert(abi.encodeWithSelector(ILaunchFactory.LaunchFactory_InvalidFee.selector, 77));
        opening.open(authorization.params, MINIMUM, 1, signature);
        vm.warp(DEADLINE + 1);
        (, uint256 refund) = opening.claim(alice);
        assertEq(refund, CAP);
    }

    /*//////////////////////////////////////////////////////////////
                  C8-47: LAUNCHES WITHOUT THE OPENING
    //////////////////////////////////////////////////////////////*/

    /// @dev Somebody submits the creator's signature to the launch factory: it pays the buy itself, for the depositors.
    function test_C8_47_ADirectlySubmittedSignaturePaysTheDepositors() external {
        depositFor(alice, 6 ether);
        depositFor(bob, 2 ether);
        Authorization memory authorization = authorizeOpening(4 ether);
        bytes memory signature = sign(authorization);
        vm.prank(stranger);
        (address token,, uint256 bought) = factory.launchFor{value: 4 ether}(
            creator, authorization.params, authorization.buy, 4 ether, authorization.deadline, signature
        );
        vm.expectRevert(abi.encodeWithSelector(ILaunchFactory.LaunchFactory_SaltTaken.selector, token));
        opening.open(authorization.params, 4 ether, 1, signature);
        opening.close(authorization.params);
        skipToNextSecond();
        (uint256 tokens, uint256 refund) = opening.claim(alice);
        assertEq(tokens, bought * 3 / 4);
        assertEq(refund, 6 ether);
        opening.claim(bob);
        assertEq(address(opening).balance, 0);
        assertLt(balance(token, address(opening)), 2);
        assertEq(stranger.balance, 1_000_000 ether - 4 ether);
    }

    /// @dev After a direct submission the creator can also open with another salt: the depositors then have that token.
    function test_C8_47_TheCreatorCanOpenAfterADirectSubmission() external {
        depositFor(alice, CAP);
        launchDirectly(1 ether);
        Authorization memory authorization = authorizeOpening(MINIMUM);
        authorization.params.salt = "another";
        openWith(authorization);
        vm.expectRevert(IOpening.Opening_Closed.selector);
        opening.close(terms);
        assertTrue(opening.isOpened());
    }

    /// @dev A creator that launches without the opening does not keep the deposits any longer.
    function test_C8_47_ALaunchWithoutTheOpeningReturnsTheDepositsAtOnce() external {
        depositFor(alice, CAP);
        Authorization memory authorization = authorizeOpening(0);
        vm.deal(creator, 1 ether);
        vm.prank(creator);
        factory.launch{value: 1 ether}(authorization.params, ILaunchFactory.InitialBuyParams(creator, 0));
        vm.prank(stranger);
        opening.close(authorization.params);
        skipToNextSecond();
        (uint256 tokens, uint256 refund) = opening.claim(alice);
        assertEq(tokens, 0);
        assertEq(refund, CAP);
    }

    /// @dev Nobody but the creator can launch the token, so nobody else can close an opening.
    function test_C8_47_NobodyClosesAnOpeningOfAnotherCreator() external {
        depositFor(alice, CAP);
        address[4] memory callers = [stranger, alice, treasury, partner];
        ILaunchFactory.LaunchParams memory params = terms;
        params.salt = "salt";
        (address token,) = factory.predict(creator, params);
        for (uint256 i; i < 4; ++i) {
            vm.prank(callers[i]);
            factory.launch(params, noBuy());
            vm.expectRevert(abi.encodeWithSelector(IOpening.Opening_NotLaunched.selector, token));
            vm.prank(callers[i]);
            opening.close(params);
        }
        open(MINIMUM);
    }

    /// @dev Two openings for one launch: one opens, the other returns its deposits at once.
    function test_C8_47_OfTwoOpeningsOneOpensAndTheOtherRefunds() external {
        IOpening first = opening;
        depositFor(alice, CAP);
        opening = createOpening(MINIMUM, CAP, DEADLINE + 1);
        depositFor(bob, CAP);
        // A signature names one opening as the recipient, and its deadline.
        Authorization memory authorization = authorizeOpening(MINIMUM);
        bytes memory signature = sign(authorization);
        vm.expectRevert(abi.encodeWithSelector(ILaunchFactory.LaunchFactory_InvalidSignature.selector, creator));
        first.open(authorization.params, MINIMUM, 1, signature);
        opening.open(authorization.params, MINIMUM, 1, signature);
        first.close(authorization.params);
        skipToNextSecond();
        (, uint256 refund) = first.claim(alice);
        assertEq(refund, CAP);
        (, refund) = opening.claim(bob);
        assertEq(refund, CAP - MINIMUM);
    }

    /*//////////////////////////////////////////////////////////////
                    C8-48: NATIVE FOR THE CREATOR
    //////////////////////////////////////////////////////////////*/

    /// @dev The launch factory refunds to the creator what a buy does not spend. A buy of MAX_CAP spends everything, in every
    /// tier and order.
    function test_C8_48_ABuyOfTheGreatestCapLeavesTheCreatorNothing() external {
        uint256 cap = openings.MAX_CAP();
        vm.deal(alice, cap);
        uint256 snapshot = vm.snapshotState();
        for (uint256 i; i < 8; ++i) {
            terms.feeBps = tiers()[i / 2];
            opening = createOpening(cap, cap, DEADLINE);
            depositFor(alice, cap);
            Authorization memory authorization = authorizeOpening(cap);
            grind(authorization.params, creator, i % 2 == 0);
            (address token, address pool) = factory.predict(creator, authorization.params);
            uint256 before = creator.balance;
            vm.expectEmit(true, false, false, false, address(opening));
            emit IOpening.Opened(token, 0, 0);
            openWith(authorization);
            assertEq(opening.spent(), cap);
            assertEq(creator.balance, before);
            assertEq(balance(address(weth), pool), cap, "the pool has everything");
            assertEq(address(factory).balance + address(opening).balance, 0);
            vm.revertToState(snapshot);
        }
    }

    /// @dev The supply in the range from the start price costs the supply times the square root of the product of first and last
    /// price. This is least at the highest start tick, 886,200: the supply times 1.0001^((886,800 - 886,200) / 2).
    function test_C8_48_TheSupplyCostsMoreThanTheGreatestCapAtEveryStartPrice() external view {
        // 1.0001^300 is more than 1.03.
        uint256 leastCost = SUPPLY * 103 / 100;
        assertGt(leastCost, 1_000 * openings.MAX_CAP());
    }

    /// @dev The creator signs the value, but within the bounds of the terms, and never gets the difference.
    function test_C8_48_TheCreatorGetsNoNativeWithAnySignature() external {
        depositFor(alice, 3 * CAP);
        uint256 before = creator.balance;
        for (uint256 i; i < 3; ++i) {
            uint256 snapshot = vm.snapshotState();
            uint256 value = [MINIMUM, MINIMUM + 1, CAP][i];
            open(value);
            assertEq(address(opening).balance, 3 * CAP - value);
            skipToNextSecond();
            expectNothingToClaim(creator);
            opening.claim(alice);
            assertEq(creator.balance, before);
            assertEq(address(opening).balance, 0);
            vm.revertToState(snapshot);
        }
    }

    /*//////////////////////////////////////////////////////////////
                     C8-49: CALLBACKS AND RECEIVERS
    //////////////////////////////////////////////////////////////*/

    /// @dev While it is paid, an account can neither claim again nor for another account.
    function test_C8_49_AReceiverCannotReenter() external {
        ReenteringPayee payee = new ReenteringPayee();
        opening.deposit{value: 4 ether}(address(payee));
        depositFor(bob, 4 ether);
        uint256 bought = open(4 ether);
        skipToNextSecond();
        bytes[4] memory calls = [
            abi.encodeCall(opening.claim, (address(payee))),
            abi.encodeCall(opening.claim, (bob)),
            abi.encodeCall(opening.claimTo, (bob)),
            abi.encodeCall(opening.close, (terms))
        ];
        for (uint256 i; i < 4; ++i) {
            payee.arm(address(opening), calls[i]);
            vm.expectRevert(
                abi.encodeWithSelector(IOpening.Opening_TransferFailed.selector, address(payee), 2 ether)
            );
            opening.claim(address(payee));
        }
        payee.arm(address(0), "");
        opening.claim(address(payee));
        assertEq(address(payee).balance, 2 ether);
        assertEq(balance(opening.token(), address(payee)), bought / 2);
        opening.claim(bob);
        assertEq(address(opening).balance, 0);
    }

    /// @dev Nor can it end the opening while it is paid.
    function test_C8_49_AReceiverCannotClose() external {
        ReenteringPayee payee = new ReenteringPayee();
        opening.deposit{value: 4 ether}(address(payee));
        launchDirectly(0);
        vm.warp(DEADLINE + 1);
        ILaunchFactory.LaunchParams memory params = authorizeOpening(0).params;
        payee.arm(address(opening), abi.encodeCall(opening.close, (params)));
        vm.expectRevert(abi.encodeWithSelector(IOpening.Opening_TransferFailed.selector, address(payee), 4 ether));
        opening.claim(address(payee));
        opening.close(params);
        assertEq(opening.closedAt(), DEADLINE + 1);
    }

    /// @dev An account that cannot be paid holds up nobody else.
    function test_C8_49_AnAccountThatCannotBePaidHoldsUpNobody() external {
        opening.deposit{value: 4 ether}(address(uniswap));
        depositFor(bob, 4 ether);
        vm.warp(DEADLINE + 1);
        vm.expectRevert(abi.encodeWithSelector(IOpening.Opening_TransferFailed.selector, address(uniswap), 4 ether));
        opening.claim(address(uniswap));
        (, uint256 refund) = opening.claim(bob);
        assertEq(refund, 4 ether);
    }

    /// @dev For every gas limit a claim pays both parts or nothing.
    function test_C8_49_NoGasLimitPaysOnlyOnePart() external {
        openWithTwoDeposits();
        address token = opening.token();
        uint256 before = alice.balance;
        uint256 successes;
        for (uint256 gas = 30_000; gas < 130_000; gas += 500) {
            uint256 snapshot = vm.snapshotState();
            (bool success,) = address(opening).call{gas: gas}(abi.encodeCall(opening.claim, (alice)));
            assertEq(success, alice.balance == before + 4.5 ether);
            assertEq(success, balance(token, alice) != 0);
            if (success) ++successes;
            vm.revertToState(snapshot);
        }
        assertGt(successes, 0);
        assertLt(successes, 200);
    }

    /// @dev Native that is forced in, before or after the opening, changes no part and cannot open an opening.
    function test_C8_49_ForcedNativeChangesNothing() external {
        vm.deal(address(this), 20 ether);
        new Forcer{value: 10 ether}(address(opening));
        depositFor(alice, 4 ether);
        Authorization memory authorization = authorizeOpening(5 ether);
        bytes memory signature = sign(authorization);
        vm.expectRevert(abi.encodeWithSelector(IOpening.Opening_ValueOutOfRange.selector, 5 ether, MINIMUM, 4 ether));
        opening.open(authorization.params, 5 ether, 1, signature);
        open(3 ether);
        new Forcer{value: 10 ether}(address(opening));
        skipToNextSecond();
        (, uint256 refund) = opening.claim(alice);
        assertEq(refund, 1 ether);
        assertEq(address(opening).balance, 20 ether);
    }

    /*//////////////////////////////////////////////////////////////
                       C8-50: FALSE OPENINGS
    //////////////////////////////////////////////////////////////*/

    /// @dev The same code, whose storage says that the deposits were spent, is not recorded.
    function test_C8_50_AnOpeningWithOtherStorageIsNotRecorded() external {
        IOpening poisoned = IOpening(payable(makeAddr("poisoned")));
        vm.etch(address(poisoned), address(opening).code);
        // The slot of total, spent and time.
        vm.store(address(poisoned), bytes32(uint256(1)), bytes32(uint256(5 ether) << 104));
        assertEq(poisoned.spent(), 5 ether, "the slot of the book");
        assertFalse(openings.isOpening(address(poisoned)));
        assertTrue(openings.isOpening(address(opening)));
    }

    /// @dev For every gas limit the opening exists if and only if it is recorded.
    function test_C8_50_NoGasLimitLeavesAnOpeningWithoutRecord() external {
        bytes memory call = abi.encodeCall(IOpeningFactory.create, (terms, MINIMUM, CAP, DEADLINE + 1));
        address predicted = openings.predict(creator, terms, MINIMUM, CAP, DEADLINE + 1);
        bool isMade;
        for (uint256 gasLimit = 20_000; !isMade; gasLimit += 250) {
            uint256 snapshot = vm.snapshotState();
            vm.prank(creator);
            (isMade,) = address(openings).call{gas: gasLimit}(call);
            assertEq(predicted.code.length != 0, isMade);
            assertEq(openings.isOpening(predicted), isMade);
            if (!isMade) vm.revertToState(snapshot);
        }
    }
}

// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IWrappedNative} from "../../src/interfaces/external/IWrappedNative.sol";
import {IFeeLocker} from "../../src/interfaces/IFeeLocker.sol";
import {IFeeSplitter} from "../../src/interfaces/IFeeSplitter.sol";
import {ILaunchFactory} from "../../src/interfaces/ILaunchFactory.sol";
import {LockerTest} from "../utils/LockerTest.sol";
import {StubPool} from "../utils/StubPool.sol";
import {PlainToken} from "../utils/TestTokens.sol";

/// @notice A wrapped native that spends all gas of a transfer to one account, as code behind a proxy could.
contract GasBurningQuote is PlainToken(18) {
    address private _victim;

    function burnGasFor(address victim) external {
        _victim = victim;
    }

    function transfer(address to, uint256 amount) public override returns (bool) {
        if (to == _victim) {
            while (true) {}
        }
        return super.transfer(to, amount);
    }
}

contract SettlementAttacksTest is LockerTest {
    /// @dev One account in two roles is paid both parts, each of them once, whichever two roles these are.
    function test_C8_25_AnAccountInTwoRolesIsPaidBothParts() external {
        address[3][4] memory parties = [
            // splitter, treasury, partner
            [alice, bob, alice],
            [alice, bob, bob],
            [alice, alice, partner],
            [alice, alice, alice]
        ];
        for (uint256 i; i < parties.length; ++i) {
            (GasBurningQuote quote, StubPool pool) =
                _lockWithQuote(parties[i][0], parties[i][1], parties[i][2]);
            _collect(quote, pool, 1_000);
            locker.settle(address(1), one(address(quote)));
            _collect(quote, pool, 333);
            locker.settle(address(1), one(address(quote)));
            // 10% of 1,333 is 133, of which the partner has 66.
            uint256[3] memory parts = [uint256(1_200), 67, 66];
            for (uint256 j; j < 3; ++j) {
                uint256 expected;
                for (uint256 k; k < 3; ++k) {
                    if (parties[i][k] == parties[i][j]) expected += parts[k];
                }
                assertEq(quote.balanceOf(parties[i][j]), expected);
            }
            assertEq(quote.balanceOf(address(locker)), 0);
        }
    }

    /// @dev A party whose transfer spends all gas it gets does not hold up the others: 1/64 of the gas is left for the others. For
    /// every gas limit a settlement fails as a whole, or pays the others and owes this party alone.
    function test_C8_25_APartyWhoseTransferBurnsAllGasHoldsUpNobody() external {
        for (uint256 victim; victim < 3; ++victim) {
            address[3] memory parties = [alice, treasury, partner];
            uint256[3] memory parts = [uint256(900), 50, 50];
            uint256 successes;
            for (uint256 gas = 1_000_000; gas <= 16_000_000; gas += 1_000_000) {
                (GasBurningQuote quote, StubPool pool) = _lockWithQuote(alice, treasury, partner);
                _collect(quote, pool, 1_000);
                quote.burnGasFor(parties[victim]);
                (bool success,) =
                    address(locker).call{gas: gas}(abi.encodeCall(locker.settle, (address(1), one(address(quote)))));
                for (uint256 i; i < 3; ++i) {
                    bool isOwed = success && i == victim;
                    assertEq(locker.owed(address(quote), parties[i]), isOwed ? parts[i] : 0);
                    assertEq(quote.balanceOf(parties[i]), success && i != victim ? parts[i] : 0);
                }
                if (success) ++successes;
                if (gas >= 12_000_000) assertTrue(success, "a third of a block of Ethereum is enough");
            }
            assertGt(successes, 0);
        }
    }

    /// @dev Debts of several launches to one party add up, and are paid at once and to this party alone.
    function test_C8_25_DebtsOfSeveralLaunchesAddUp() external {
        (GasBurningQuote quote, StubPool pool) = _lockWithQuote(alice, treasury, partner);
        StubPool second = lockWithStub(address(2), _terms(alice, bob));
        quote.burnGasFor(alice);
        _collect(quote, pool, 1_000);
        second.setCollected(0, 500);
        quote.mint(address(locker), 500);
        locker.collect(address(2));
        locker.settle{gas: 20_000_000}(address(1), one(address(quote)));
        locker.settle{gas: 20_000_000}(address(2), one(address(quote)));
        assertEq(locker.owed(address(quote), alice), 1_350);
        quote.burnGasFor(address(0));
        vm.prank(bob);
        assertEq(locker.payOwed(address(quote), alice), 1_350);
        assertEq(locker.payOwed(address(quote), alice), 0);
        assertEq(quote.balanceOf(alice), 1_350);
        assertEq(quote.balanceOf(address(locker)), 0);
    }

    /// @dev Payees that are contracts of the launch: a splitter that a creation transaction made can name the launch's own
    /// token and pool, whose addresses are known before. Their parts are lost to them alone; all others are paid exactly.
    function test_C8_26_PayeesThatAreContractsOfTheLaunchHarmOnlyTheirOwnPart() external {
        for (uint256 order; order < 2; ++order) {
            ILaunchFactory.LaunchParams memory params =
                paramsWith(vm.computeCreateAddress(address(this), vm.getNonce(address(this))));
            grind(params, creator, order == 0);
            (address token, address pool) = factory.predict(creator, params);
            address[] memory payees = new address[](6);
            (payees[0], payees[1], payees[2], payees[3]) = (token, pool, address(locker), address(factory));
            (payees[4], payees[5]) = (address(weth), alice);
            uint16[] memory shares = new uint16[](6);
            for (uint256 i; i < 6; ++i) {
                shares[i] = i == 5 ? 5_000 : 1_000;
            }
            assertEq(deploySplitter(payees, shares), params.splitter);
            Launch memory launched = launch(params);
            makeFees(launched);
            locker.collect(token);
            locker.settle(token, bothAssets(token));
            uint256 lockerBefore = balance(address(weth), address(locker));
            uint256[2] memory received =
                [balance(token, params.splitter), balance(address(weth), params.splitter)];
            uint128 liquidity = lockedLiquidity(launched);
            for (uint256 i; i < 6; ++i) {
                (bool success,) =
                    params.splitter.call(abi.encodeCall(IFeeSplitter.release, (bothAssets(token), payees[i])));
                success;
            }
            assertEq(balance(token, alice), received[0] / 2, "the token's half");
            // WETH9 keeps wrapped native that is sent to itself.
            assertEq(balance(address(weth), alice), received[1] / 2, "the native's half");
            assertEq(lockedLiquidity(launched), liquidity);
            // What a locker is given by a splitter is a donation: the ledger does not move, and no one gets it.
            uint256 donated = balance(address(weth), address(locker)) - lockerBefore;
            assertEq(donated, received[1] / 10);
            makeFees(launched);
            locker.collect(token);
            locker.settle(token, bothAssets(token));
            assertEq(balance(address(weth), address(locker)), lockerBefore + donated);
            (token, pool) = factory.predict(alice, params);
            vm.deal(address(this), 0);
            vm.prank(alice);
            // The balances of the next order start from zero.
            IWrappedNative(address(weth)).transfer(address(0xdead), received[1] / 2);
        }
    }

    function _lockWithQuote(address splitter, address treasury_, address partner_)
        private
        returns (GasBurningQuote quote, StubPool pool)
    {
        quote = new GasBurningQuote();
        weth = IWrappedNative(address(quote));
        locker = deployLocker(treasury_);
        pool = lockWithStub(address(1), _terms(splitter, partner_));
    }

    function _terms(address splitter, address partner_) private pure returns (Terms memory terms) {
        (terms.splitter, terms.partner, terms.partnerShareBps) = (splitter, partner_, 5_000);
    }

    function _collect(GasBurningQuote quote, StubPool pool, uint128 amount) private {
        // The order of `address(1)` in its pair: the quote is token1.
        pool.setCollected(0, amount);
        quote.mint(address(locker), amount);
        locker.collect(address(1));
    }
}

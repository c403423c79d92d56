// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "forge-std/interfaces/IERC20.sol";
import {Test} from "forge-std/Test.sol";

import {IUniswapV3Factory} from "../../src/interfaces/external/IUniswapV3Factory.sol";
import {IFeeLocker} from "../../src/interfaces/IFeeLocker.sol";
import {IFeeSplitter} from "../../src/interfaces/IFeeSplitter.sol";
import {ILaunchFactory} from "../../src/interfaces/ILaunchFactory.sol";
import {ISplitterFactory} from "../../src/interfaces/ISplitterFactory.sol";
import {SlipwayTest} from "../utils/SlipwayTest.sol";
import {FeeHandler} from "./FeeHandler.sol";
import {MarketHandler} from "./MarketHandler.sol";
import {Report} from "./Report.sol";

/// @notice The invariants I01 to I29 of contracts/README.md.
abstract contract FeeInvariants is Test {
    using Report for Report.Violations;

    FeeHandler internal feeHandler;
    ILaunchFactory private factory;
    address private weth;
    address private uniswap;
    address private partner;
    address private alice;
    address private bob;

    function startFees(uint256 maxLaunches) internal {
        feeHandler = new FeeHandler(maxLaunches);
        (factory, weth, uniswap, partner) = feeHandler.parts();
        (alice, bob) = feeHandler.payees();
    }

    function checkFees(Report.Violations memory violations) internal view {
        uint256 count = feeHandler.launchCount();
        for (uint256 i; i < count; ++i) {
            (SlipwayTest.Launch memory launched, MarketHandler.ExpectedTerms memory expected) = feeHandler.launchAt(i);
            _checkPosition(violations, launched, expected);
            _checkLedger(violations, launched, expected, launched.token);
            _checkLedger(violations, launched, expected, weth);
            _checkSplitter(violations, launched, launched.token);
            _checkSplitter(violations, launched, weth);
            _checkSplitter(violations, launched, address(0));
            _checkRecords(violations, launched, expected);
            _checkToken(violations, launched);
            // The factory's locker once, and each other one.
            if (i == 0 || address(launched.locker) != factory.LOCKER()) _checkLocker(violations, launched.locker);
        }
        _checkShared(violations, weth);
        _checkReceivers(violations, address(0));
        _checkRoles(violations);
    }

    function _checkPosition(
        Report.Violations memory violations,
        SlipwayTest.Launch memory launched,
        MarketHandler.ExpectedTerms memory expected
    ) private view {
        IFeeLocker.Position memory position = launched.locker.positionOf(launched.token);
        violations.expect(!feeHandler.liquidityFell(), "I01 the liquidity of a launch never decreases");
        violations.expect(
            feeHandler.liquiditySeen(launched.token) >= expected.liquidity,
            "I02 the pool holds at least the liquidity of the launch"
        );
        violations.expect(
            position.splitter == launched.splitter && position.partner == expected.partner
                && position.partnerShareBps == expected.partnerShareBps
                && position.totalFeeBps == expected.totalFeeBps && position.protocolFeeBps == expected.protocolFeeBps
                && position.tickLower == expected.tickLower && position.tickUpper == expected.tickUpper
                && position.tokenIsToken0 == launched.tokenIsToken0 && position.liquidity == expected.liquidity,
            "I03 the record of a launch is what it was launched with"
        );
        violations.expect(
            position.pool == IUniswapV3Factory(uniswap).getPool(launched.token, weth, uint24(expected.totalFeeBps) * 100),
            "I04 the pool of a record is the genuine one of its pair and tier"
        );
    }

    function _checkLedger(
        Report.Violations memory violations,
        SlipwayTest.Launch memory launched,
        MarketHandler.ExpectedTerms memory expected,
        address asset
    ) private view {
        IFeeLocker.Ledger memory ledger = launched.locker.ledgerOf(launched.token, asset);
        violations.expect(
            ledger.collected == feeHandler.arrived(launched.token, asset),
            "I05 the collected amount is what arrived from the pool"
        );
        violations.expect(
            ledger.protocolTotal + ledger.partnerTotal + ledger.collaboratorsTotal == ledger.collected,
            "I06 the three parts sum to the collected amount"
        );
        violations.expect(
            launched.locker.owed(asset, launched.splitter) == feeHandler.expectedOwed(asset, launched.splitter),
            "I23 what is owed is what settlements could not pay"
        );
        uint256 protocolShare = ledger.collected * expected.protocolFeeBps / expected.totalFeeBps;
        violations.expect(
            ledger.protocolTotal + ledger.partnerTotal == protocolShare,
            "I07 protocol and partner have the protocol share of the cumulative amount"
        );
        violations.expect(
            ledger.partnerTotal == protocolShare * expected.partnerShareBps / 10_000,
            "I08 the partner has its fraction of the protocol share"
        );
        violations.expect(
            ledger.collaboratorsTotal - ledger.collaboratorsCredit
                == feeHandler.settledTo(launched.token, asset, 0),
            "I09 a splitter got what was settled for it"
        );
        violations.expect(
            ledger.protocolTotal - ledger.protocolCredit == feeHandler.settledTo(launched.token, asset, 1),
            "I10 the treasury got what was settled for it"
        );
        violations.expect(
            ledger.partnerTotal - ledger.partnerCredit == feeHandler.settledTo(launched.token, asset, 2),
            "I11 the partner got what was settled for it"
        );
    }

    function _checkSplitter(Report.Violations memory violations, SlipwayTest.Launch memory launched, address asset)
        private
        view
    {
        IFeeSplitter splitter = IFeeSplitter(launched.splitter);
        uint256 received = feeHandler.paidByLocker(asset, launched.splitter)
            + feeHandler.donated(asset, launched.splitter);
        uint256 held = _balance(asset, launched.splitter);
        uint256 ofAlice = splitter.released(asset, alice);
        uint256 ofBob = splitter.released(asset, bob);
        violations.expect(
            splitter.totalReleased(asset) == ofAlice + ofBob, "I12 the released total is the sum over the payees"
        );
        violations.expect(
            held + ofAlice + ofBob == received, "I13 a splitter holds what it received minus what it released"
        );
        violations.expect(
            ofAlice <= received * 7_000 / 10_000 && ofBob <= received * 3_000 / 10_000,
            "I14 no payee is paid more than its share of what came in"
        );
        uint256 claims = splitter.claimable(asset, alice) + splitter.claimable(asset, bob);
        violations.expect(claims <= held, "I15 the balance covers the claims");
        violations.expect(claims + 1 >= held, "I16 less than one unit for each payee is claimable by no one");
    }

    function _checkRecords(
        Report.Violations memory violations,
        SlipwayTest.Launch memory launched,
        MarketHandler.ExpectedTerms memory expected
    ) private view {
        IFeeSplitter splitter = IFeeSplitter(launched.splitter);
        (address[] memory payees, uint16[] memory shares) = splitter.allocations();
        violations.expect(
            payees.length == 2 && shares.length == 2 && payees[0] == alice && payees[1] == bob && shares[0] == 7_000
                && shares[1] == 3_000,
            "I17 payees and shares never change"
        );
        violations.expect(
            splitter.payoutOf(alice) == feeHandler.expectedPayout(launched.splitter, alice)
                && splitter.payoutOf(bob) == feeHandler.expectedPayout(launched.splitter, bob),
            "I18 only a payee changes its payout"
        );
        violations.expect(
            ISplitterFactory(factory.SPLITTER_FACTORY()).isSplitter(launched.splitter) == expected.madeByFactory,
            "I19 the splitter factory records what it created, and nothing else"
        );
    }

    function _checkToken(Report.Violations memory violations, SlipwayTest.Launch memory launched) private view {
        violations.expect(
            IERC20(launched.token).totalSupply() == 1_000_000_000e18, "I20 the supply of a token never changes"
        );
        _checkShared(violations, launched.token);
    }

    function _checkLocker(Report.Violations memory violations, IFeeLocker locker) private view {
        uint256 count = feeHandler.launchCount();
        bool holds = _holdsExactly(locker, weth);
        for (uint256 i; i < count; ++i) {
            (SlipwayTest.Launch memory launched,) = feeHandler.launchAt(i);
            holds = holds && _holdsExactly(locker, launched.token);
        }
        violations.expect(
            holds, "I21 the locker holds what arrived minus what it paid, donations and the remainders of the supplies"
        );
    }

    /// @dev Invariants of an asset over all launches.
    function _checkShared(Report.Violations memory violations, address asset) private view {
        violations.expect(
            _balance(asset, address(factory)) == feeHandler.donated(asset, address(factory)),
            "I22 the factory holds only donations"
        );
        address[4] memory creditors =
            [feeHandler.treasuries(0), feeHandler.treasuries(1), feeHandler.treasuries(2), partner];
        IFeeLocker locker = IFeeLocker(factory.LOCKER());
        for (uint256 i; i < 4; ++i) {
            violations.expect(
                locker.owed(asset, creditors[i]) + _owedByOthers(locker, asset, creditors[i])
                    == feeHandler.expectedOwed(asset, creditors[i]),
                "I23 what is owed is what settlements could not pay"
            );
        }
        _checkReceivers(violations, asset);
    }

    function _checkReceivers(Report.Violations memory violations, address asset) private view {
        for (uint256 i; i < 5; ++i) {
            address receiver = feeHandler.receivers(i);
            violations.expect(
                _balance(asset, receiver) == feeHandler.releasedTo(asset, receiver),
                "I24 receivers hold what was released to them, in the form that they can use"
            );
        }
    }

    function _checkRoles(Report.Violations memory violations) private view {
        IFeeLocker locker = IFeeLocker(factory.LOCKER());
        violations.expect(
            address(factory).balance + address(locker).balance == 0, "I25 factory and locker hold no native"
        );
        violations.expect(
            locker.treasury() == feeHandler.expectedTreasury(), "I26 only the treasury's two steps change the treasury"
        );
        violations.expect(
            factory.partnerShareBps(partner) == feeHandler.expectedShare(),
            "I27 only the treasury changes the share of a partner"
        );
        violations.expect(!feeHandler.collectMisreported(), "I28 a collection returns what arrived");
        violations.expect(
            feeHandler.forbiddenSuccesses() == 0, "I29 no forbidden call on factory, locker or splitter succeeds"
        );
    }

    function _holdsExactly(IFeeLocker locker, address asset) private view returns (bool) {
        return _balance(asset, address(locker)) + feeHandler.outflow(address(locker), asset)
            == feeHandler.inflow(address(locker), asset) + feeHandler.donated(asset, address(locker));
    }

    /// @dev The same account can be owed by several lockers.
    function _owedByOthers(IFeeLocker locker, address asset, address party) private view returns (uint256 owed) {
        uint256 count = feeHandler.launchCount();
        for (uint256 i; i < count; ++i) {
            (SlipwayTest.Launch memory launched,) = feeHandler.launchAt(i);
            if (launched.locker != locker) owed += launched.locker.owed(asset, party);
        }
    }

    function _balance(address asset, address account) private view returns (uint256) {
        return asset == address(0) ? account.balance : IERC20(asset).balanceOf(account);
    }
}

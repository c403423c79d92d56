// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "forge-std/interfaces/IERC20.sol";
import {Test} from "forge-std/Test.sol";

import {IUniswapV3Factory} from "../../src/interfaces/external/IUniswapV3Factory.sol";
import {IFeeLocker} from "../../src/interfaces/IFeeLocker.sol";
import {IFeeSplitter} from "../../src/interfaces/IFeeSplitter.sol";
import {IGasStation} from "../../src/interfaces/IGasStation.sol";
import {ILaunchFactory} from "../../src/interfaces/ILaunchFactory.sol";
import {SlipwayTest} from "../utils/SlipwayTest.sol";
import {LaunchHandler} from "./LaunchHandler.sol";
import {StationHandler} from "./StationHandler.sol";

/// @notice One campaign over everything. Each `Inn` is a sentence of contracts/README.md.
contract InvariantsTest is Test {
    LaunchHandler private launcher;
    StationHandler private stationer;
    ILaunchFactory private factory;
    IFeeLocker private locker;
    address private weth;
    address private uniswap;
    address private partner;
    address private alice;
    address private bob;

    /// @dev Sums over all launches, of the asset they share.
    struct Sums {
        uint256 credits;
        uint256 protocolPaid;
        uint256 partnerPaid;
        uint256 aliceReleased;
        uint256 bobReleased;
    }

    function setUp() external {
        launcher = new LaunchHandler();
        stationer = new StationHandler();
        (factory, locker, weth, uniswap, partner) = launcher.parts();
        (alice, bob) = launcher.payees();

        bytes4[] memory launching = new bytes4[](13);
        launching[0] = launcher.launchAnother.selector;
        launching[1] = launcher.trade.selector;
        launching[2] = launcher.pushPrice.selector;
        launching[3] = launcher.lend.selector;
        launching[4] = launcher.addLiquidity.selector;
        launching[5] = launcher.switchPoolFee.selector;
        launching[6] = launcher.donate.selector;
        launching[7] = launcher.passTime.selector;
        launching[8] = launcher.collect.selector;
        launching[9] = launcher.settle.selector;
        launching[10] = launcher.release.selector;
        launching[11] = launcher.moveTreasury.selector;
        launching[12] = launcher.tryForbidden.selector;
        targetSelector(FuzzSelector(address(launcher), launching));
        targetContract(address(launcher));

        bytes4[] memory stationing = new bytes4[](6);
        stationing[0] = stationer.buyGas.selector;
        stationing[1] = stationer.fund.selector;
        stationing[2] = stationer.withdraw.selector;
        stationing[3] = stationer.force.selector;
        stationing[4] = stationer.donateDollars.selector;
        stationing[5] = stationer.tryForbidden.selector;
        targetSelector(FuzzSelector(address(stationer), stationing));
        targetContract(address(stationer));
    }

    function invariant_EverySentenceHolds() external view {
        Sums memory sums;
        uint256 count = launcher.launchCount();
        for (uint256 i; i < count; ++i) {
            SlipwayTest.Launch memory launched = launcher.launchAt(i);
            _checkPosition(launched);
            _checkAsset(launched, weth, sums);
            Sums memory own;
            _checkAsset(launched, launched.token, own);
            _checkToken(launched, own);
        }
        _checkShared(sums);
        _checkStation();
    }

    function _checkPosition(SlipwayTest.Launch memory launched) private view {
        IFeeLocker.Position memory position = locker.positionOf(launched.token);
        _hold(
            launcher.liquiditySeen(launched.token) >= position.liquidity,
            "I02 the pool holds at least the recorded liquidity");
        _hold(
            keccak256(abi.encode(position))
                == launcher.positionHash(launched.token),
            "I03 a launch's record never changes"
        );
        _hold(
            IUniswapV3Factory(uniswap).getPool(launched.token, weth, 10_000)
                == position.pool,
            "I04 a position's pool is the genuine one of its pair"
        );
    }

    function _checkAsset(SlipwayTest.Launch memory launched, address asset, Sums memory sums) private view {
        IFeeLocker.Position memory position = locker.positionOf(launched.token);
        IFeeLocker.Ledger memory ledger = locker.ledgerOf(launched.token, asset);
        _hold(
            ledger.collected
                == launcher.collectedSum(launched.token, asset),
            "I05 the ledger's collected is the sum of what collect reported"
        );
        _hold(
            ledger.protocolTotal + ledger.partnerTotal + ledger.collaboratorsTotal
                == ledger.collected,
            "I06 the three parts sum to the collected amount, without dust"
        );
        uint256 protocolSide = ledger.collected * position.protocolFeeBps / position.totalFeeBps;
        _hold(
            ledger.protocolTotal + ledger.partnerTotal
                == protocolSide,
            "I07 protocol and partner have exactly the protocol's fraction of the cumulative amount"
        );
        _hold(
            ledger.partnerTotal
                == protocolSide * position.partnerShareBps / 10_000,
            "I08 the partner has exactly its fraction of the protocol's side"
        );
        _hold(ledger.protocolCredit <= ledger.protocolTotal, "I09 no credit exceeds its total");
        _hold(ledger.partnerCredit <= ledger.partnerTotal, "I09 no credit exceeds its total");
        _hold(ledger.collaboratorsCredit <= ledger.collaboratorsTotal, "I09 no credit exceeds its total");
        _hold(
            launcher.settledToSplitter(asset, launched.splitter)
                == ledger.collaboratorsTotal - ledger.collaboratorsCredit,
            "I10 a splitter received exactly the collaborators' settled part"
        );
        sums.credits += ledger.protocolCredit + ledger.partnerCredit + ledger.collaboratorsCredit;
        sums.protocolPaid += ledger.protocolTotal - ledger.protocolCredit;
        sums.partnerPaid += ledger.partnerTotal - ledger.partnerCredit;
        _checkSplitter(launched, asset, sums);
    }

    function _checkSplitter(SlipwayTest.Launch memory launched, address asset, Sums memory sums) private view {
        IFeeSplitter splitter = IFeeSplitter(launched.splitter);
        uint256 received =
            launcher.settledToSplitter(asset, launched.splitter) + launcher.donated(asset, launched.splitter);
        uint256 held = IERC20(asset).balanceOf(launched.splitter);
        uint256 toAlice = splitter.released(asset, alice);
        uint256 toBob = splitter.released(asset, bob);
        _hold(splitter.totalReleased(asset) == toAlice + toBob, "I11 released in total is the sum over payees");
        _hold(held + toAlice + toBob == received, "I12 a splitter holds what it received less what it released");
        _hold(toAlice <= received * 7_000 / 10_000, "I13 no payee is paid above its share of everything received");
        _hold(toBob <= received * 3_000 / 10_000, "I13 no payee is paid above its share of everything received");
        uint256 claims = splitter.claimable(asset, alice) + splitter.claimable(asset, bob);
        _hold(claims <= held, "I14 the claims are always covered");
        _hold(held - claims <= 1, "I15 what no payee can claim is less than one unit a payee");
        sums.aliceReleased += toAlice;
        sums.bobReleased += toBob;
    }

    function _checkToken(SlipwayTest.Launch memory launched, Sums memory own) private view {
        IERC20 token = IERC20(launched.token);
        _hold(token.totalSupply() == 1_000_000_000e18, "I16 the supply never changes");
        _hold(
            token.balanceOf(address(locker))
                == own.credits + launcher.donated(launched.token, address(locker)),
            "I17 the locker holds open credits, donations and the rounding rest of the supply, no more and no less"
        );
        _checkPaid(launched.token, own);
        _hold(
            token.balanceOf(address(factory))
                == launcher.donated(launched.token, address(factory)),
            "I18 the factory keeps nothing but donations"
        );
        (, uint16[] memory shares) = IFeeSplitter(launched.splitter).allocations();
        _hold(uint256(shares[0]) + shares[1] == 10_000, "I19 a splitter's allocations stay and sum to 10000");
    }

    function _checkShared(Sums memory sums) private view {
        _hold(
            IERC20(weth).balanceOf(address(locker))
                == sums.credits + launcher.donated(weth, address(locker)),
            "I17 the locker holds open credits, donations and the rounding rest of the supply, no more and no less"
        );
        _checkPaid(weth, sums);
        _hold(
            IERC20(weth).balanceOf(address(factory))
                == launcher.donated(weth, address(factory)),
            "I18 the factory keeps nothing but donations"
        );
        _hold(address(factory).balance + address(locker).balance == 0, "I20 factory and locker hold no native");
        _hold(locker.treasury() == launcher.expectedTreasury(), "I21 the treasury moves by its own two steps alone");
        _hold(!launcher.liquidityFell(), "I01 liquidity never falls");
        _hold(launcher.forbiddenSuccesses() == 0, "I22 no forbidden call on factory, locker or splitter succeeds");
    }

    /// @dev Who calls the stages is always the bystander.
    function _checkPaid(address asset, Sums memory sums) private view {
        uint256 treasuries;
        for (uint256 i; i < 3; ++i) {
            treasuries += IERC20(asset).balanceOf(launcher.treasuries(i));
        }
        _hold(treasuries == sums.protocolPaid, "I23 the treasuries received exactly the protocol's settled part");
        _hold(
            IERC20(asset).balanceOf(partner)
                == sums.partnerPaid,
            "I24 the partner received exactly its settled part"
        );
        _hold(IERC20(asset).balanceOf(alice) == sums.aliceReleased, "I25 a payee received exactly what was released");
        _hold(IERC20(asset).balanceOf(bob) == sums.bobReleased, "I25 a payee received exactly what was released");
        _hold(IERC20(asset).balanceOf(launcher.bystander()) == 0, "I26 no stage pays whoever calls it");
    }

    function _checkStation() private view {
        (IGasStation station, address dollar, address wallet, address treasury) = stationer.parts();
        _hold(
            address(station).balance
                == stationer.funded() - stationer.nativePaid() - stationer.withdrawn(),
            "I27 the float is what was funded less what was sold and withdrawn"
        );
        _hold(
            IERC20(dollar).balanceOf(treasury)
                == stationer.tokensPaid(),
            "I28 the station never pays without the treasury being paid in full"
        );
        _hold(wallet.balance == stationer.nativePaid(), "I29 a wallet received exactly what it signed for");
        _hold(
            IERC20(dollar).balanceOf(wallet)
                == stationer.minted() - stationer.tokensPaid() - stationer.dollarsDonated(),
            "I30 a wallet paid exactly what it signed for"
        );
        _hold(
            IERC20(dollar).balanceOf(address(station))
                == stationer.dollarsDonated(),
            "I31 the station keeps no token but donations"
        );
        _hold(IERC20(dollar).allowance(wallet, address(station)) == 0, "I32 no allowance is left after a top-up");
        _hold(stationer.usedCount() == stationer.topUps(), "I33 a quote id is used exactly when it was topped up");
        (address owner, address relayer) = stationer.roles();
        _hold(station.owner() == owner, "I34 the roles of the station move by the owner alone");
        _hold(station.relayer() == relayer, "I34 the roles of the station move by the owner alone");
        _hold(stationer.forbiddenSuccesses() == 0, "I35 no forbidden call on the station succeeds");
    }

    /// @dev Cheaper than the assertions of forge-std, each of which is a call: this runs a million times.
    function _hold(bool holds, string memory sentence) private pure {
        if (!holds) revert(sentence);
    }
}

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

/// @notice One campaign over all contracts. Each id (`I01`...) is an invariant of contracts/README.md.
contract InvariantsTest is Test {
    LaunchHandler private launchHandler;
    StationHandler private stationHandler;
    ILaunchFactory private factory;
    IFeeLocker private locker;
    address private weth;
    address private uniswap;
    address private partner;
    address private alice;
    address private bob;

    /// @dev Sums over all launches, of the shared asset.
    struct Sums {
        uint256 credits;
        uint256 protocolPaid;
        uint256 partnerPaid;
        uint256 aliceReleased;
        uint256 bobReleased;
    }

    function setUp() external {
        launchHandler = new LaunchHandler();
        stationHandler = new StationHandler();
        (factory, locker, weth, uniswap, partner) = launchHandler.parts();
        (alice, bob) = launchHandler.payees();

        bytes4[] memory launchSelectors = new bytes4[](13);
        launchSelectors[0] = launchHandler.launchAnother.selector;
        launchSelectors[1] = launchHandler.trade.selector;
        launchSelectors[2] = launchHandler.pushPrice.selector;
        launchSelectors[3] = launchHandler.flashLoan.selector;
        launchSelectors[4] = launchHandler.addLiquidity.selector;
        launchSelectors[5] = launchHandler.switchPoolFee.selector;
        launchSelectors[6] = launchHandler.donate.selector;
        launchSelectors[7] = launchHandler.advanceTime.selector;
        launchSelectors[8] = launchHandler.collect.selector;
        launchSelectors[9] = launchHandler.settle.selector;
        launchSelectors[10] = launchHandler.release.selector;
        launchSelectors[11] = launchHandler.changeTreasury.selector;
        launchSelectors[12] = launchHandler.callForbidden.selector;
        targetSelector(FuzzSelector(address(launchHandler), launchSelectors));
        targetContract(address(launchHandler));

        bytes4[] memory stationSelectors = new bytes4[](6);
        stationSelectors[0] = stationHandler.buyGas.selector;
        stationSelectors[1] = stationHandler.fund.selector;
        stationSelectors[2] = stationHandler.withdraw.selector;
        stationSelectors[3] = stationHandler.forceNative.selector;
        stationSelectors[4] = stationHandler.donateDollars.selector;
        stationSelectors[5] = stationHandler.callForbidden.selector;
        targetSelector(FuzzSelector(address(stationHandler), stationSelectors));
        targetContract(address(stationHandler));
    }

    function invariant_AllHold() external view {
        Sums memory sums;
        uint256 count = launchHandler.launchCount();
        for (uint256 i; i < count; ++i) {
            SlipwayTest.Launch memory launched = launchHandler.launchAt(i);
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
        _assertInvariant(
            launchHandler.liquiditySeen(launched.token) >= position.liquidity,
            "I02 the pool holds at least the recorded liquidity");
        _assertInvariant(
            keccak256(abi.encode(position))
                == launchHandler.positionHash(launched.token),
            "I03 a launch's record never changes"
        );
        _assertInvariant(
            IUniswapV3Factory(uniswap).getPool(launched.token, weth, 10_000)
                == position.pool,
            "I04 a position's pool is the genuine one of its pair"
        );
    }

    function _checkAsset(SlipwayTest.Launch memory launched, address asset, Sums memory sums) private view {
        IFeeLocker.Position memory position = locker.positionOf(launched.token);
        IFeeLocker.Ledger memory ledger = locker.ledgerOf(launched.token, asset);
        _assertInvariant(
            ledger.collected
                == launchHandler.collectedSum(launched.token, asset),
            "I05 the ledger's collected is the sum of what collect reported"
        );
        _assertInvariant(
            ledger.protocolTotal + ledger.partnerTotal + ledger.collaboratorsTotal
                == ledger.collected,
            "I06 the three parts sum exactly to the collected amount"
        );
        uint256 protocolShare = ledger.collected * position.protocolFeeBps / position.totalFeeBps;
        _assertInvariant(
            ledger.protocolTotal + ledger.partnerTotal
                == protocolShare,
            "I07 protocol and partner together have exactly the protocol share of the cumulative amount"
        );
        _assertInvariant(
            ledger.partnerTotal
                == protocolShare * position.partnerShareBps / 10_000,
            "I08 the partner has exactly its fraction of the protocol share"
        );
        _assertInvariant(ledger.protocolCredit <= ledger.protocolTotal, "I09 no credit exceeds its total");
        _assertInvariant(ledger.partnerCredit <= ledger.partnerTotal, "I09 no credit exceeds its total");
        _assertInvariant(ledger.collaboratorsCredit <= ledger.collaboratorsTotal, "I09 no credit exceeds its total");
        _assertInvariant(
            launchHandler.settledToSplitter(asset, launched.splitter)
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
            launchHandler.settledToSplitter(asset, launched.splitter) + launchHandler.donated(asset, launched.splitter);
        uint256 held = IERC20(asset).balanceOf(launched.splitter);
        uint256 toAlice = splitter.released(asset, alice);
        uint256 toBob = splitter.released(asset, bob);
        _assertInvariant(splitter.totalReleased(asset) == toAlice + toBob, "I11 released in total is the sum over payees");
        _assertInvariant(held + toAlice + toBob == received, "I12 a splitter holds what it received minus what it released");
        _assertInvariant(toAlice <= received * 7_000 / 10_000, "I13 no payee is paid above its share of everything received");
        _assertInvariant(toBob <= received * 3_000 / 10_000, "I13 no payee is paid above its share of everything received");
        uint256 claims = splitter.claimable(asset, alice) + splitter.claimable(asset, bob);
        _assertInvariant(claims <= held, "I14 the claims are always covered");
        _assertInvariant(held - claims <= 1, "I15 the unclaimable remainder is less than one unit for each payee");
        sums.aliceReleased += toAlice;
        sums.bobReleased += toBob;
    }

    function _checkToken(SlipwayTest.Launch memory launched, Sums memory own) private view {
        IERC20 token = IERC20(launched.token);
        _assertInvariant(token.totalSupply() == 1_000_000_000e18, "I16 the supply never changes");
        _assertInvariant(
            token.balanceOf(address(locker))
                == own.credits + launchHandler.donated(launched.token, address(locker)),
            "I17 the locker holds exactly the credits, donations and the rounding remainder of the supply"
        );
        _checkPaid(launched.token, own);
        _assertInvariant(
            token.balanceOf(address(factory))
                == launchHandler.donated(launched.token, address(factory)),
            "I18 the factory holds only donations"
        );
        (, uint16[] memory shares) = IFeeSplitter(launched.splitter).allocations();
        _assertInvariant(uint256(shares[0]) + shares[1] == 10_000, "I19 a splitter's allocations do not change and sum to 10000");
    }

    function _checkShared(Sums memory sums) private view {
        _assertInvariant(
            IERC20(weth).balanceOf(address(locker))
                == sums.credits + launchHandler.donated(weth, address(locker)),
            "I17 the locker holds exactly the credits, donations and the rounding remainder of the supply"
        );
        _checkPaid(weth, sums);
        _assertInvariant(
            IERC20(weth).balanceOf(address(factory))
                == launchHandler.donated(weth, address(factory)),
            "I18 the factory holds only donations"
        );
        _assertInvariant(address(factory).balance + address(locker).balance == 0, "I20 factory and locker hold no native");
        _assertInvariant(locker.treasury() == launchHandler.expectedTreasury(), "I21 only the treasury's two steps change the treasury");
        _assertInvariant(!launchHandler.liquidityFell(), "I01 liquidity never falls");
        _assertInvariant(launchHandler.forbiddenSuccesses() == 0, "I22 no forbidden call on factory, locker or splitter succeeds");
    }

    /// @dev The caller of the stages is always the same account.
    function _checkPaid(address asset, Sums memory sums) private view {
        uint256 treasuries;
        for (uint256 i; i < 3; ++i) {
            treasuries += IERC20(asset).balanceOf(launchHandler.treasuries(i));
        }
        _assertInvariant(treasuries == sums.protocolPaid, "I23 the treasuries received exactly the protocol's settled part");
        _assertInvariant(
            IERC20(asset).balanceOf(partner)
                == sums.partnerPaid,
            "I24 the partner received exactly its settled part"
        );
        _assertInvariant(IERC20(asset).balanceOf(alice) == sums.aliceReleased, "I25 a payee received exactly what was released");
        _assertInvariant(IERC20(asset).balanceOf(bob) == sums.bobReleased, "I25 a payee received exactly what was released");
        _assertInvariant(IERC20(asset).balanceOf(launchHandler.stranger()) == 0, "I26 no stage pays its caller");
    }

    function _checkStation() private view {
        (IGasStation station, address dollar, address wallet, address treasury) = stationHandler.parts();
        _assertInvariant(
            address(station).balance
                == stationHandler.funded() - stationHandler.nativePaid() - stationHandler.withdrawn(),
            "I27 the float is what was funded minus what was sold and withdrawn"
        );
        _assertInvariant(
            IERC20(dollar).balanceOf(treasury)
                == stationHandler.tokensPaid(),
            "I28 the station never pays unless the treasury is paid in full"
        );
        _assertInvariant(wallet.balance == stationHandler.nativePaid(), "I29 a wallet received exactly what it signed for");
        _assertInvariant(
            IERC20(dollar).balanceOf(wallet)
                == stationHandler.minted() - stationHandler.tokensPaid() - stationHandler.dollarsDonated(),
            "I30 a wallet paid exactly what it signed for"
        );
        _assertInvariant(
            IERC20(dollar).balanceOf(address(station))
                == stationHandler.dollarsDonated(),
            "I31 the station holds only donated tokens"
        );
        _assertInvariant(IERC20(dollar).allowance(wallet, address(station)) == 0, "I32 no allowance is left after a top-up");
        _assertInvariant(stationHandler.usedCount() == stationHandler.topUps(), "I33 a quote id is marked used exactly if it was topped up");
        (address owner, address relayer) = stationHandler.roles();
        _assertInvariant(station.owner() == owner, "I34 only the owner changes the roles of the station");
        _assertInvariant(station.relayer() == relayer, "I34 only the owner changes the roles of the station");
        _assertInvariant(stationHandler.forbiddenSuccesses() == 0, "I35 no forbidden call on the station succeeds");
    }

    /// @dev Cheaper than the assertions of forge-std, which are calls: this function runs a million times.
    function _assertInvariant(bool holds, string memory sentence) private pure {
        if (!holds) revert(sentence);
    }
}

// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {FeeInvariants} from "./FeeInvariants.sol";
import {OpeningInvariants} from "./OpeningInvariants.sol";
import {Report} from "./Report.sol";
import {StationInvariants} from "./StationInvariants.sol";
import {VestingInvariants} from "./VestingInvariants.sol";

/// @notice Several launches, two deployments of lockers, and everything that accounts can do with them.
contract MarketCampaign is FeeInvariants {
    using Report for Report.Violations;

    function setUp() external {
        startFees(6);
        bytes4[] memory selectors = new bytes4[](17);
        selectors[0] = feeHandler.launchAnother.selector;
        selectors[1] = feeHandler.trade.selector;
        selectors[2] = feeHandler.pushPrice.selector;
        selectors[3] = feeHandler.flashLoan.selector;
        selectors[4] = feeHandler.addLiquidity.selector;
        selectors[5] = feeHandler.switchPoolFee.selector;
        selectors[6] = feeHandler.donate.selector;
        selectors[7] = feeHandler.donateNative.selector;
        selectors[8] = feeHandler.advanceTime.selector;
        selectors[9] = feeHandler.collect.selector;
        selectors[10] = feeHandler.settle.selector;
        selectors[11] = feeHandler.payOwed.selector;
        selectors[12] = feeHandler.release.selector;
        selectors[13] = feeHandler.setPayout.selector;
        selectors[14] = feeHandler.changeTreasury.selector;
        selectors[15] = feeHandler.setPartnerShare.selector;
        selectors[16] = feeHandler.callForbidden.selector;
        targetSelector(FuzzSelector(address(feeHandler), selectors));
        targetContract(address(feeHandler));
    }

    function invariant_AllHoldInAMarket() external view {
        Report.Violations memory violations;
        checkFees(violations);
        violations.close();
    }
}

/// @notice One launch whose fees are collected, settled and released many times, between changes of the treasury, of
/// the partner's share and of payouts.
contract SettlementCampaign is FeeInvariants {
    using Report for Report.Violations;

    function setUp() external {
        startFees(1);
        bytes4[] memory selectors = new bytes4[](8);
        selectors[0] = feeHandler.trade.selector;
        selectors[1] = feeHandler.collect.selector;
        selectors[2] = feeHandler.settle.selector;
        selectors[3] = feeHandler.payOwed.selector;
        selectors[4] = feeHandler.release.selector;
        selectors[5] = feeHandler.changeTreasury.selector;
        selectors[6] = feeHandler.setPayout.selector;
        selectors[7] = feeHandler.setPartnerShare.selector;
        targetSelector(FuzzSelector(address(feeHandler), selectors));
        targetContract(address(feeHandler));
    }

    function invariant_AllHoldForOneLaunch() external view {
        Report.Violations memory violations;
        checkFees(violations);
        violations.close();
    }
}

/// @notice Top-ups, and the acts of the owner between them.
contract StationCampaign is StationInvariants {
    using Report for Report.Violations;

    function setUp() external {
        startStation();
        bytes4[] memory selectors = new bytes4[](7);
        selectors[0] = stationHandler.buyGas.selector;
        selectors[1] = stationHandler.fund.selector;
        selectors[2] = stationHandler.withdraw.selector;
        selectors[3] = stationHandler.forceNative.selector;
        selectors[4] = stationHandler.donateDollars.selector;
        selectors[5] = stationHandler.actAsOwner.selector;
        selectors[6] = stationHandler.callForbidden.selector;
        targetSelector(FuzzSelector(address(stationHandler), selectors));
        targetContract(address(stationHandler));
    }

    function invariant_AllHoldForTheStation() external view {
        Report.Violations memory violations;
        checkStation(violations);
        violations.close();
    }
}

/// @notice Deposits and releases of three vestings, from before the cliff until after the end.
contract VestingCampaign is VestingInvariants {
    using Report for Report.Violations;

    function setUp() external {
        startVestings();
        bytes4[] memory selectors = new bytes4[](5);
        selectors[0] = vestingHandler.deposit.selector;
        selectors[1] = vestingHandler.release.selector;
        selectors[2] = vestingHandler.advanceTime.selector;
        selectors[3] = vestingHandler.sendBack.selector;
        selectors[4] = vestingHandler.createAgain.selector;
        targetSelector(FuzzSelector(address(vestingHandler), selectors));
        targetContract(address(vestingHandler));
    }

    function invariant_AllHoldForVestings() external view {
        Report.Violations memory violations;
        checkVestings(violations);
        violations.close();
    }
}

/// @notice Deposits, launches and claims of openings with the same launch parameters, with and without the opening.
contract OpeningCampaign is OpeningInvariants {
    using Report for Report.Violations;

    function setUp() external {
        startOpenings();
        bytes4[] memory selectors = new bytes4[](9);
        selectors[0] = openingHandler.createAnother.selector;
        selectors[1] = openingHandler.deposit.selector;
        selectors[2] = openingHandler.openOne.selector;
        selectors[3] = openingHandler.submitDirectly.selector;
        selectors[4] = openingHandler.close.selector;
        selectors[5] = openingHandler.claim.selector;
        selectors[6] = openingHandler.donate.selector;
        selectors[7] = openingHandler.forceNative.selector;
        selectors[8] = openingHandler.advanceTime.selector;
        targetSelector(FuzzSelector(address(openingHandler), selectors));
        targetContract(address(openingHandler));
    }

    function invariant_AllHoldForOpenings() external view {
        Report.Violations memory violations;
        checkOpenings(violations);
        violations.close();
    }
}

// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IFeeLocker} from "../../src/interfaces/IFeeLocker.sol";
import {IFeeSplitter} from "../../src/interfaces/IFeeSplitter.sol";
import {IGasStation} from "../../src/interfaces/IGasStation.sol";
import {ILaunchFactory} from "../../src/interfaces/ILaunchFactory.sol";
import {IOpeningFactory} from "../../src/interfaces/IOpeningFactory.sol";
import {IVestingFactory} from "../../src/interfaces/IVestingFactory.sol";
import {SlipwayTest} from "../utils/SlipwayTest.sol";

/// @notice The table in contracts/README.md lists exactly the functions that check the caller.
contract OwnerPowersTest is SlipwayTest {
    bytes4[] private _callerErrors = [
        IFeeLocker.FeeLocker_NotFactory.selector,
        IFeeLocker.FeeLocker_NotPool.selector,
        IFeeLocker.FeeLocker_NotTreasury.selector,
        IFeeLocker.FeeLocker_NotProposedTreasury.selector,
        ILaunchFactory.LaunchFactory_NotPool.selector,
        ILaunchFactory.LaunchFactory_NotTreasury.selector,
        ILaunchFactory.LaunchFactory_NotWrappedNative.selector,
        IFeeSplitter.FeeSplitter_NotPayee.selector,
        IGasStation.GasStation_NotRelayer.selector,
        IGasStation.GasStation_NotOwner.selector,
        IGasStation.GasStation_NotProposedOwner.selector
    ];

    function test_C8_13_RestrictedFunctionsAreExactlyThoseOfTheReadme() external {
        string[10] memory names = [
            "LaunchFactory",
            "LaunchToken",
            "FeeLocker",
            "SplitterFactory",
            "FeeSplitter",
            "GasStation",
            "VestingFactory",
            "Vesting",
            "OpeningFactory",
            "Opening"
        ];
        address vestings = deploy("VestingFactory", "");
        address openings = deploy("OpeningFactory", abi.encode(factory));
        ILaunchFactory.LaunchParams memory terms;
        address[10] memory deployed = [
            address(factory),
            deploy("LaunchToken", abi.encode("", "", "", alice)),
            address(locker),
            address(splitters),
            deploySplitter(),
            deploy("GasStation", abi.encode(alice, alice, alice)),
            vestings,
            IVestingFactory(vestings).create(alice, 1, 2, 0),
            openings,
            IOpeningFactory(openings).create(terms, 1, 1, uint40(block.timestamp + 1))
        ];
        string memory readme = vm.readFile("contracts/README.md");
        uint256 restricted;
        for (uint256 i; i < 10; ++i) {
            string[] memory signatures = _readSignatures(names[i]);
            for (uint256 j; j < signatures.length; ++j) {
                if (!_checksCaller(deployed[i], signatures[j])) continue;
                ++restricted;
                string memory row = string.concat("| `", names[i], ".", vm.split(signatures[j], "(")[0], "` |");
                assertTrue(vm.contains(readme, row), string.concat("not in the README: ", row));
            }
        }
        assertEq(restricted, _countRows(readme), "the README lists more functions than exist");
    }

    /// @dev Whether a call by a stranger fails with an error that names the stranger. Zero arguments decode as every
    /// type; the second variant has a second argument that is not zero.
    function _checksCaller(address target, string memory signature) private returns (bool) {
        address stranger = makeAddr("stranger");
        bytes[2] memory arguments = [new bytes(1_024), bytes.concat(abi.encode(64, 1), new bytes(960))];
        for (uint256 variant; variant < 2; ++variant) {
            vm.prank(stranger);
            (bool success, bytes memory reason) =
                target.call(bytes.concat(bytes4(keccak256(bytes(signature))), arguments[variant]));
            if (success) continue;
            for (uint256 i; i < _callerErrors.length; ++i) {
                if (keccak256(reason) == keccak256(abi.encodeWithSelector(_callerErrors[i], stranger))) return true;
            }
        }
        return false;
    }

    function _readSignatures(string memory name) private view returns (string[] memory) {
        string memory json = vm.readFile(string.concat("contracts/artifacts/", name, ".json"));
        return vm.parseJsonKeys(json, ".methodIdentifiers");
    }

    function _countRows(string memory readme) private returns (uint256 rows) {
        string[] memory lines = vm.split(readme, "\n");
        for (uint256 i; i < lines.length; ++i) {
            string[] memory cells = vm.split(lines[i], "`");
            // A row of the table: "| `Contract.function` | who | what |".
            if (cells.length > 2 && _same(cells[0], "| ") && vm.contains(cells[1], ".")) ++rows;
        }
    }

    function _same(string memory a, string memory b) private pure returns (bool) {
        return keccak256(bytes(a)) == keccak256(bytes(b));
    }
}

// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ILaunchFactory} from "../../src/interfaces/ILaunchFactory.sol";
import {IOpening} from "../../src/interfaces/IOpening.sol";
import {IOpeningFactory} from "../../src/interfaces/IOpeningFactory.sol";
import {IVestingFactory} from "../../src/interfaces/IVestingFactory.sol";
import {SlipwayTest} from "../utils/SlipwayTest.sol";

/// @notice The deployed code answers the functions of its ABI and no other one.
contract ExposedFunctionsTest is SlipwayTest {
    /// @dev Every four bytes that the code compares with, as the dispatcher does with the selector of a call, are the
    /// selector of a function in the ABI. Reads the deployed code, not the sources: a function that is public by mistake is
    /// found, also one that no one can call successfully.
    function test_C8_29_TheCodeDispatchesOnlyTheFunctionsOfTheAbi() external {
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
        IVestingFactory vestings = IVestingFactory(deploy("VestingFactory", ""));
        IOpeningFactory openings = IOpeningFactory(deploy("OpeningFactory", abi.encode(factory)));
        address[10] memory deployed = [
            address(factory),
            launchWith(true).token,
            address(locker),
            address(splitters),
            splitters.IMPLEMENTATION(),
            deploy("GasStation", abi.encode(alice, alice, alice)),
            address(vestings),
            vestings.IMPLEMENTATION(),
            address(openings),
            openings.IMPLEMENTATION()
        ];
        for (uint256 i; i < 10; ++i) {
            bytes4[] memory selectors = _readSelectors(names[i]);
            uint256 found;
            bytes memory code = deployed[i].code;
            for (uint256 j; j + 6 < code.length; ++j) {
                uint8 opcode = uint8(code[j]);
                // Behind INVALID is data: the factory contains the token's creation code.
                if (opcode == 0xfe) break;
                if (opcode == 0x63 && _isCompared(code, j + 5)) {
                    bytes4 selector = bytes4(code[j + 1]) | bytes4(code[j + 2]) >> 8 | bytes4(code[j + 3]) >> 16
                        | bytes4(code[j + 4]) >> 24;
                    assertTrue(_contains(selectors, selector), string.concat(names[i], ": ", vm.toString(selector)));
                    ++found;
                }
                if (opcode >= 0x60 && opcode <= 0x7f) j += opcode - 0x5f;
            }
            assertGe(found, selectors.length, names[i]);
        }
    }

    /// @dev Native that is sent with a creation would be lost in all contracts but the station.
    function test_C8_29_NoConstructorTakesNative() external {
        bytes[10] memory creations = [
            bytes.concat(
                readCreationCode("LaunchFactory"),
                abi.encode(
                    uniswap,
                    weth,
                    splitters,
                    treasury,
                    startTick,
                    sqrtPriceIfToken0,
                    sqrtPriceIfToken1,
                    liquidityIfToken0,
                    liquidityIfToken1
                )
            ),
            bytes.concat(readCreationCode("LaunchToken"), abi.encode("", "", "", alice)),
            bytes.concat(
                readCreationCode("FeeLocker"), abi.encode(treasury, weth, uniswap, startTick, uint16(100), uint16(10))
            ),
            bytes.concat(readCreationCode("SplitterFactory"), abi.encode(weth)),
            bytes.concat(readCreationCode("FeeSplitter"), abi.encode(weth)),
            bytes.concat(readCreationCode("GasStation"), abi.encode(alice, alice, alice)),
            readCreationCode("VestingFactory"),
            readCreationCode("Vesting"),
            bytes.concat(readCreationCode("OpeningFactory"), abi.encode(factory)),
            bytes.concat(readCreationCode("Opening"), abi.encode(factory))
        ];
        vm.deal(address(this), 2);
        for (uint256 i; i < 10; ++i) {
            assertNotEq(_create(creations[i], 0), address(0));
            assertEq(_create(creations[i], 1), address(0));
        }
    }

    /// @dev No function but the two launches and a deposit takes native; `receive` is another matter.
    function test_C8_29_OnlyLaunchesAndDepositsTakeNative() external {
        string[9] memory names = [
            "LaunchFactory",
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
        address[9] memory deployed = [
            address(factory),
            address(locker),
            address(splitters),
            deploySplitter(),
            deploy("GasStation", abi.encode(address(this), address(this), alice)),
            vestings,
            IVestingFactory(vestings).create(alice, 1, 2, 0),
            openings,
            IOpeningFactory(openings).create(terms, 1, 1, uint40(block.timestamp + 1))
        ];
        for (uint256 i; i < 9; ++i) {
            bytes4[] memory selectors = _readSelectors(names[i]);
            for (uint256 j; j < selectors.length; ++j) {
                if (selectors[j] == factory.launch.selector || selectors[j] == factory.launchFor.selector) continue;
                if (selectors[j] == IOpening.deposit.selector) continue;
                vm.deal(alice, 1);
                vm.prank(alice);
                // Valid arguments for every function: zeros, with an empty array where one begins at offset zero.
                (bool success, bytes memory reason) =
                    deployed[i].call{value: 1}(bytes.concat(selectors[j], new bytes(1_024)));
                assertFalse(success);
                assertEq(reason.length, 0, "refused before the function begins");
            }
        }
    }

    /// @dev EQ, SUB or XOR with the selector, possibly after a DUP1 to DUP4 of it.
    function _isCompared(bytes memory code, uint256 at) private pure returns (bool) {
        uint8 next = uint8(code[at]);
        if (next >= 0x80 && next <= 0x83) next = uint8(code[at + 1]);
        return next == 0x14 || next == 0x18 || next == 0x03;
    }

    function _readSelectors(string memory name) private view returns (bytes4[] memory selectors) {
        string memory json = vm.readFile(string.concat("contracts/artifacts/", name, ".json"));
        string[] memory signatures = vm.parseJsonKeys(json, ".methodIdentifiers");
        selectors = new bytes4[](signatures.length);
        for (uint256 i; i < signatures.length; ++i) {
            selectors[i] = bytes4(keccak256(bytes(signatures[i])));
        }
    }

    function _contains(bytes4[] memory selectors, bytes4 selector) private pure returns (bool) {
        for (uint256 i; i < selectors.length; ++i) {
            if (selectors[i] == selector) return true;
        }
        return false;
    }

    function _create(bytes memory creationCode, uint256 value) private returns (address deployed) {
        assembly ("memory-safe") {
            deployed := create(value, add(creationCode, 32), mload(creationCode))
        }
    }
}

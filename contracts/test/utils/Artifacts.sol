// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Test} from "forge-std/Test.sol";

/// @notice Deploys from artifacts, so that what is tested is the bytecode that ships, byte for byte.
/// @dev The mutation runner points SLIPWAY_ARTIFACTS at a folder of mutated artifacts; the tests stay compiled.
abstract contract Artifacts is Test {
    function creationCodeOf(string memory contractName) internal view returns (bytes memory) {
        string memory folder = vm.envOr("SLIPWAY_ARTIFACTS", string("contracts/artifacts"));
        return _bytecode(string.concat(folder, "/", contractName, ".json"), ".bytecode");
    }

    function vendorCreationCodeOf(string memory path) internal view returns (bytes memory) {
        return _bytecode(string.concat("contracts/vendor/", path, ".json"), ".bytecode");
    }

    function deploy(string memory contractName, bytes memory arguments) internal returns (address) {
        return create(bytes.concat(creationCodeOf(contractName), arguments));
    }

    function deployVendor(string memory path, bytes memory arguments) internal returns (address) {
        return create(bytes.concat(vendorCreationCodeOf(path), arguments));
    }

    /// @dev Bubbles the constructor's revert, so that `vm.expectRevert` sees it.
    function create(bytes memory creationCode) internal returns (address deployed) {
        assembly ("memory-safe") {
            deployed := create(0, add(creationCode, 32), mload(creationCode))
            if iszero(deployed) {
                let pointer := mload(0x40)
                returndatacopy(pointer, 0, returndatasize())
                revert(pointer, returndatasize())
            }
        }
    }

    function _bytecode(string memory path, string memory key) private view returns (bytes memory) {
        return vm.parseJsonBytes(vm.readFile(path), key);
    }
}

// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IVestingFactory} from "./interfaces/IVestingFactory.sol";
import {SplitterClone} from "./libraries/SplitterClone.sol";
import {Vesting} from "./Vesting.sol";

/// @title VestingFactory
contract VestingFactory is IVestingFactory {
    /// @inheritdoc IVestingFactory
    address public immutable IMPLEMENTATION;

    /// @inheritdoc IVestingFactory
    mapping(address vesting => bool) public isVesting;

    constructor() {
        IMPLEMENTATION = address(new Vesting());
    }

    /// @inheritdoc IVestingFactory
    function create(address beneficiary, uint40 cliff, uint40 end, bytes32 salt) external returns (address vesting) {
        bytes memory code = _creationCode(beneficiary, cliff, end);
        vesting = _create2Address(salt, code);
        if (isVesting[vesting]) return vesting;

        if (beneficiary == address(0)) revert VestingFactory_InvalidBeneficiary(beneficiary);
        if (end <= cliff) revert VestingFactory_InvalidDates(cliff, end);
        address created;
        assembly ("memory-safe") {
            created := create2(0, add(code, 32), mload(code), salt)
        }
        if (created != vesting) revert VestingFactory_CreationFailed(vesting);
        isVesting[vesting] = true;
        emit VestingCreated(vesting, beneficiary, salt, cliff, end);
    }

    /// @inheritdoc IVestingFactory
    function predict(address beneficiary, uint40 cliff, uint40 end, bytes32 salt) external view returns (address) {
        return _create2Address(salt, _creationCode(beneficiary, cliff, end));
    }

    /// @dev The code of a clone with its terms, laid out like a splitter's.
    function _creationCode(address beneficiary, uint40 cliff, uint40 end) private view returns (bytes memory) {
        return SplitterClone.factoryCreationCode(IMPLEMENTATION, abi.encodePacked(beneficiary, cliff, end));
    }

    function _create2Address(bytes32 salt, bytes memory code) private view returns (address) {
        return address(uint160(uint256(keccak256(abi.encodePacked(hex"ff", address(this), salt, keccak256(code))))));
    }
}

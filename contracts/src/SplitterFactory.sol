// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {FeeSplitter} from "./FeeSplitter.sol";
import {ISplitterFactory} from "./interfaces/ISplitterFactory.sol";
import {SplitterClone} from "./libraries/SplitterClone.sol";

/// @title SplitterFactory
contract SplitterFactory is ISplitterFactory {
    /// @inheritdoc ISplitterFactory
    address public immutable IMPLEMENTATION;

    /// @inheritdoc ISplitterFactory
    mapping(address splitter => bool) public isSplitter;

    constructor(address wrappedNative) {
        if (wrappedNative.code.length == 0) revert SplitterFactory_InvalidAddress(wrappedNative);
        IMPLEMENTATION = address(new FeeSplitter(wrappedNative));
    }

    /// @inheritdoc ISplitterFactory
    function create(address[] calldata payees, uint16[] calldata shares, bytes32 salt)
        external
        returns (address splitter)
    {
        bytes memory entries = SplitterClone.pack(payees, shares);
        bytes memory code = SplitterClone.factoryCreationCode(IMPLEMENTATION, entries);
        splitter = _create2Address(salt, code);
        if (isSplitter[splitter]) return splitter;

        SplitterClone.validate(entries, splitter);
        address created;
        assembly ("memory-safe") {
            created := create2(0, add(code, 32), mload(code), salt)
        }
        if (created != splitter) revert SplitterFactory_CreationFailed(splitter);
        isSplitter[splitter] = true;
        emit SplitterCreated(splitter, salt, payees, shares);
    }

    /// @inheritdoc ISplitterFactory
    function predict(address[] calldata payees, uint16[] calldata shares, bytes32 salt)
        external
        view
        returns (address)
    {
        return _create2Address(
            salt, SplitterClone.factoryCreationCode(IMPLEMENTATION, SplitterClone.pack(payees, shares))
        );
    }

    /// @inheritdoc ISplitterFactory
    function creationCode(address[] calldata payees, uint16[] calldata shares) external view returns (bytes memory) {
        return SplitterClone.creationCode(IMPLEMENTATION, SplitterClone.pack(payees, shares));
    }

    function _create2Address(bytes32 salt, bytes memory code) private view returns (address) {
        return address(uint160(uint256(keccak256(abi.encodePacked(hex"ff", address(this), salt, keccak256(code))))));
    }
}

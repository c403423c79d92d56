// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {LibClone} from "solady/utils/LibClone.sol";

import {ILaunchFactory} from "./interfaces/ILaunchFactory.sol";
import {IOpeningFactory} from "./interfaces/IOpeningFactory.sol";
import {LaunchTerms} from "./libraries/LaunchTerms.sol";
import {SplitterClone} from "./libraries/SplitterClone.sol";
import {Opening} from "./Opening.sol";

/// @title OpeningFactory
contract OpeningFactory is IOpeningFactory {
    /// @inheritdoc IOpeningFactory
    uint40 public constant MAX_SECONDS = 30 days;

    /// @inheritdoc IOpeningFactory
    uint256 public constant MAX_CAP = 1_000_000 ether;

    /// @inheritdoc IOpeningFactory
    address public immutable LAUNCH_FACTORY;

    /// @inheritdoc IOpeningFactory
    address public immutable IMPLEMENTATION;

    /// @inheritdoc IOpeningFactory
    mapping(address opening => bool) public isOpening;

    constructor(address launchFactory) {
        if (launchFactory.code.length == 0) revert OpeningFactory_InvalidAddress(launchFactory);
        LAUNCH_FACTORY = launchFactory;
        IMPLEMENTATION = address(new Opening(launchFactory));
    }

    /// @inheritdoc IOpeningFactory
    function create(ILaunchFactory.LaunchParams calldata params, uint256 minimum, uint256 cap, uint40 deadline)
        external
        returns (address opening)
    {
        bytes memory code = _creationCode(msg.sender, params, minimum, cap, deadline);
        opening = _create2Address(code);
        if (isOpening[opening]) return opening;

        if (deadline <= block.timestamp || deadline - block.timestamp > MAX_SECONDS) {
            revert OpeningFactory_InvalidDeadline(deadline, block.timestamp);
        }
        address created;
        assembly ("memory-safe") {
            created := create2(0, add(code, 32), mload(code), 0)
        }
        if (created != opening) revert OpeningFactory_CreationFailed(opening);
        isOpening[opening] = true;
        emit OpeningCreated(opening, msg.sender, LaunchTerms.hashOf(params), params, minimum, cap, deadline);
    }

    /// @inheritdoc IOpeningFactory
    function predict(
        address creator,
        ILaunchFactory.LaunchParams calldata params,
        uint256 minimum,
        uint256 cap,
        uint40 deadline
    ) external view returns (address) {
        return _create2Address(_creationCode(creator, params, minimum, cap, deadline));
    }

    /// @dev The code of a clone with its terms, laid out like a splitter's. Within the bounds, minimum and cap fit.
    function _creationCode(
        address creator,
        ILaunchFactory.LaunchParams calldata params,
        uint256 minimum,
        uint256 cap,
        uint40 deadline
    ) private view returns (bytes memory) {
        if (params.salt != 0) revert OpeningFactory_InvalidSalt(params.salt);
        if (minimum == 0 || minimum > cap || cap > MAX_CAP) revert OpeningFactory_InvalidBounds(minimum, cap);
        bytes memory terms =
            abi.encodePacked(creator, LaunchTerms.hashOf(params), uint96(minimum), uint96(cap), deadline);
        return SplitterClone.factoryCreationCode(IMPLEMENTATION, terms);
    }

    function _create2Address(bytes memory code) private view returns (address) {
        return LibClone.predictDeterministicAddress(keccak256(code), 0, address(this));
    }
}

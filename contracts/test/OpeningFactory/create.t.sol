// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Vm} from "forge-std/Vm.sol";

import {ILaunchFactory} from "../../src/interfaces/ILaunchFactory.sol";
import {IOpening} from "../../src/interfaces/IOpening.sol";
import {IOpeningFactory} from "../../src/interfaces/IOpeningFactory.sol";
import {OpeningTest} from "../utils/OpeningTest.sol";

contract OpeningFactoryCreateTest is OpeningTest {
    uint40 private constant NOW = 1_800_000_000;
    uint256 private constant GREATEST_CAP = 1_000_000 ether;

    function test_WhenItIsDeployed() external {
        IOpening implementation = IOpening(payable(openings.IMPLEMENTATION()));
        assertEq(address(implementation), vm.computeCreateAddress(address(openings), 1));
        assertFalse(openings.isOpening(address(implementation)));
        assertFalse(openings.isOpening(address(0)));
        assertEq(openings.LAUNCH_FACTORY(), address(factory));
        assertEq(implementation.LAUNCH_FACTORY(), address(factory));
        assertEq(openings.MAX_SECONDS(), 30 days);
        assertEq(openings.MAX_CAP(), GREATEST_CAP);
    }

    function test_WhenTheLaunchFactoryHasNoCode() external {
        bytes memory creationCode = bytes.concat(readCreationCode("OpeningFactory"), abi.encode(alice));
        vm.expectRevert(abi.encodeWithSelector(IOpeningFactory.OpeningFactory_InvalidAddress.selector, alice));
        create(creationCode);
    }

    function test_WhenTheTermsAreValid() external {
        uint40 deadline = DEADLINE + 1;
        address predicted = openings.predict(creator, terms, MINIMUM, CAP, deadline);
        bytes memory code = _runtimeCode(creator, _hash(), MINIMUM, CAP, deadline);
        bytes memory creationCode = bytes.concat(hex"61007e80600a3d393df3", code);
        assertEq(predicted, vm.computeCreate2Address(0, keccak256(creationCode), address(openings)));
        assertFalse(openings.isOpening(predicted));
        vm.expectEmit(address(openings));
        emit IOpeningFactory.OpeningCreated(predicted, creator, _hash(), terms, MINIMUM, CAP, deadline);
        assertEq(address(createOpening(MINIMUM, CAP, deadline)), predicted);
        assertTrue(openings.isOpening(predicted));
        assertEq(predicted.code, code);
        _assertTerms(IOpening(payable(predicted)), MINIMUM, CAP, deadline);
    }

    function test_WhenTheTermsAreTheGreatest() external {
        creator = address(type(uint160).max);
        uint40 last = NOW + 30 days;
        _assertTerms(createOpening(GREATEST_CAP, GREATEST_CAP, last), GREATEST_CAP, GREATEST_CAP, last);
        _assertTerms(createOpening(1, 1, NOW + 1), 1, 1, NOW + 1);
    }

    function test_WhenTheSaltIsNotZero() external {
        terms.salt = bytes32(uint256(1));
        bytes memory reason = abi.encodeWithSelector(IOpeningFactory.OpeningFactory_InvalidSalt.selector, terms.salt);
        vm.expectRevert(reason);
        createOpening(MINIMUM, CAP, DEADLINE);
        vm.expectRevert(reason);
        openings.predict(creator, terms, MINIMUM, CAP, DEADLINE);
    }

    function test_WhenTheBoundsAreInvalid() external {
        uint256[2][5] memory bounds = [
            [uint256(0), CAP],
            [CAP + 1, CAP],
            [MINIMUM, GREATEST_CAP + 1],
            // Truncated to 96 bits, both would be valid.
            [2 ** 96 + MINIMUM, 2 ** 96 + CAP],
            [uint256(0), 0]
        ];
        for (uint256 i; i < 5; ++i) {
            bytes memory reason = abi.encodeWithSelector(
                IOpeningFactory.OpeningFactory_InvalidBounds.selector, bounds[i][0], bounds[i][1]
            );
            vm.expectRevert(reason);
            createOpening(bounds[i][0], bounds[i][1], DEADLINE);
            vm.expectRevert(reason);
            openings.predict(creator, terms, bounds[i][0], bounds[i][1], DEADLINE);
        }
    }

    function test_WhenTheDeadlineIsNotInTheFuture() external {
        uint40[3] memory deadlines = [NOW, NOW - 1, 0];
        for (uint256 i; i < 3; ++i) {
            _expectInvalidDeadline(deadlines[i]);
        }
        createOpening(MINIMUM, CAP, NOW + 1);
    }

    function test_WhenTheDeadlineIsTooLate() external {
        _expectInvalidDeadline(NOW + 30 days + 1);
        _expectInvalidDeadline(type(uint40).max);
        createOpening(MINIMUM, CAP, NOW + 30 days);
    }

    function test_WhenTheOpeningExists() external {
        depositFor(alice, CAP);
        vm.recordLogs();
        assertEq(address(createOpening(MINIMUM, CAP, DEADLINE)), address(opening));
        vm.warp(DEADLINE + 1);
        assertEq(address(createOpening(MINIMUM, CAP, DEADLINE)), address(opening));
        Vm.Log[] memory logs = vm.getRecordedLogs();
        assertEq(logs.length, 0);
        assertEq(opening.total(), CAP);
    }

    function test_WhenAnyArgumentDiffers() external {
        assertNotEq(address(createOpening(MINIMUM + 1, CAP, DEADLINE)), address(opening));
        assertNotEq(address(createOpening(MINIMUM, CAP + 1, DEADLINE)), address(opening));
        assertNotEq(address(createOpening(MINIMUM, CAP, DEADLINE + 1)), address(opening));
        vm.prank(stranger);
        address byAnother = openings.create(terms, MINIMUM, CAP, DEADLINE);
        assertNotEq(byAnother, address(opening));
        assertEq(byAnother, openings.predict(stranger, terms, MINIMUM, CAP, DEADLINE));
        assertEq(IOpening(payable(byAnother)).creator(), stranger);
        terms.name = "Another";
        assertNotEq(address(createOpening(MINIMUM, CAP, DEADLINE)), address(opening));
    }

    /// @dev An address that is taken can only come from a chain that breaks CREATE2.
    function test_WhenTheAddressIsTaken() external {
        address predicted = openings.predict(creator, terms, MINIMUM, CAP, DEADLINE + 1);
        vm.etch(predicted, hex"00");
        vm.expectRevert(abi.encodeWithSelector(IOpeningFactory.OpeningFactory_CreationFailed.selector, predicted));
        createOpening(MINIMUM, CAP, DEADLINE + 1);
        assertFalse(openings.isOpening(predicted));
    }

    function _expectInvalidDeadline(uint40 deadline) private {
        vm.expectRevert(
            abi.encodeWithSelector(IOpeningFactory.OpeningFactory_InvalidDeadline.selector, deadline, NOW)
        );
        createOpening(MINIMUM, CAP, deadline);
    }

    function _assertTerms(IOpening created, uint256 minimum, uint256 cap, uint40 deadline) private view {
        assertEq(created.creator(), creator);
        assertEq(created.paramsHash(), _hash());
        assertEq(created.minimum(), minimum);
        assertEq(created.cap(), cap);
        assertEq(created.deadline(), deadline);
        assertEq(created.LAUNCH_FACTORY(), address(factory));
        assertEq(created.token(), address(0));
    }

    function _hash() private view returns (bytes32) {
        return keccak256(
            abi.encode(terms.name, terms.symbol, terms.contractURI, terms.splitter, terms.partner, terms.feeBps)
        );
    }

    /// @dev The documented layout, without the library.
    function _runtimeCode(address creator_, bytes32 paramsHash, uint256 minimum, uint256 cap, uint40 deadline)
        private
        view
        returns (bytes memory)
    {
        return bytes.concat(
            hex"363d3d373d3d3d363d73",
            bytes20(openings.IMPLEMENTATION()),
            hex"5af43d82803e903d91602b57fd5bf3",
            bytes20(creator_),
            paramsHash,
            bytes12(uint96(minimum)),
            bytes12(uint96(cap)),
            bytes5(deadline)
        );
    }
}

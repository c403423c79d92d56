// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IOpening} from "../../src/interfaces/IOpening.sol";
import {OpeningTest} from "../utils/OpeningTest.sol";

contract OpeningViewsTest is OpeningTest {
    function test_WhenItIsAClone() external view {
        assertEq(opening.creator(), creator);
        assertEq(
            opening.paramsHash(),
            keccak256(
                abi.encode(terms.name, terms.symbol, terms.contractURI, terms.splitter, terms.partner, terms.feeBps)
            )
        );
        assertEq(opening.minimum(), MINIMUM);
        assertEq(opening.cap(), CAP);
        assertEq(opening.deadline(), DEADLINE);
        assertEq(opening.LAUNCH_FACTORY(), address(factory));
    }

    function test_WhenItIsTheImplementation() external view {
        bytes4[5] memory views = [
            IOpening.creator.selector,
            IOpening.paramsHash.selector,
            IOpening.minimum.selector,
            IOpening.cap.selector,
            IOpening.deadline.selector
        ];
        for (uint256 i; i < 5; ++i) {
            (bool success, bytes memory reason) =
                openings.IMPLEMENTATION().staticcall(abi.encodeWithSelector(views[i]));
            assertFalse(success);
            assertEq(bytes4(reason), IOpening.Opening_NotClone.selector);
        }
    }
}

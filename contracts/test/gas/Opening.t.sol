// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ILaunchFactory} from "../../src/interfaces/ILaunchFactory.sol";
import {IOpening} from "../../src/interfaces/IOpening.sol";
import {IOpeningFactory} from "../../src/interfaces/IOpeningFactory.sol";
import {BarePayer} from "./BarePayer.sol";
import {Creator} from "./Creator.sol";
import {GasTest} from "./GasTest.sol";

/// @notice Gas of an opening. The floor of a creation is the creation of the same runtime code, without event and record. The
/// floor of a deposit is the same payment to an account without code. The floor of an opening is the launch of the same
/// token, with the same buy, by `launchFor`. The floor of a claim is both payments, from a contract with the same balances.
/// forge-config: default.isolate = true
/// forge-config: release.isolate = true
contract OpeningGasTest is GasTest {
    uint40 private constant DEADLINE = 1_800_000_000 + 7 days;

    Creator private _creator = Creator(deployFloor("Creator", ""));
    BarePayer private _payer = BarePayer(payable(deployFloor("BarePayer", "")));
    address private _carol = makeAddr("carol");
    IOpeningFactory private _openings;
    IOpening private _opening;
    ILaunchFactory.LaunchParams private _terms;
    uint256 private _creatorKey;

    function setUp() public override {
        super.setUp();
        _openings = IOpeningFactory(deploy("OpeningFactory", abi.encode(factory)));
        (creator, _creatorKey) = makeAddrAndKey("creator with a key");
        _terms = paramsWith(makeSplitter());
        _terms.salt = 0;
        // 200 bytes, like the launches of the other figures.
        _terms.contractURI = repeat("0123456789", 20);
        vm.prank(creator);
        _opening = IOpening(payable(_openings.create(_terms, 2 ether, 10 ether, DEADLINE)));
        vm.deal(alice, 100 ether);
        vm.deal(bob, 100 ether);
        vm.deal(_carol, 100 ether);
    }

    function test_Creation_StaysBelowItsLimit() external {
        vm.startPrank(creator);
        address created = _openings.create(_terms, 2 ether, 10 ether, DEADLINE + 1);
        assertLe(record("Opening", "creation of an opening"), 900_000);
        bytes memory floorCode = abi.encodePacked(hex"61007e80600a3d393df3", created.code);
        (bool success,) = address(_creator).call(floorCode);
        assertTrue(success);
        record("Opening", "creation of an opening, floor");
        _openings.create(_terms, 2 ether, 10 ether, DEADLINE + 1);
        assertLe(record("Opening", "creation of an opening, existing"), 50_000);
        vm.stopPrank();
    }

    function test_Deposit_StaysBelowItsLimit() external {
        // The first account also writes the total.
        _deposit(alice);
        assertLe(record("Opening", "first deposit"), 75_000);
        _deposit(bob);
        assertLe(record("Opening", "first deposit of another account"), 55_000);
        _deposit(bob);
        assertLe(record("Opening", "next deposit of an account"), 40_000);
        vm.prank(alice);
        (bool success,) = bob.call{value: 1 ether}("");
        assertTrue(success);
        string[3] memory names = ["first deposit", "first deposit of another account", "next deposit of an account"];
        for (uint256 i; i < 3; ++i) {
            record("Opening", string.concat(names[i], ", floor"));
        }
    }

    function test_OpeningAndClaim_StayBelowTheirLimits() external {
        _deposit(alice);
        _deposit(bob);
        // Claims after the others, so that no measured claim empties the opening, which would cost less.
        _deposit(_carol);
        for (uint256 i; i < 2; ++i) {
            uint256 snapshot = vm.snapshotState();
            string memory name = string.concat("opening with the launch, ", orderName(i == 0));
            ILaunchFactory.LaunchParams memory params = _terms;
            params.salt = "salt";
            grindRandomly(params, i == 0);
            bytes memory signature = _sign(params, address(_opening));
            _opening.open(params, 2 ether, 1, signature);
            uint256 used = record("Opening", name);
            vm.revertToState(snapshot);
            vm.deal(address(this), 2 ether);
            factory.launchFor{value: 2 ether}(
                creator,
                params,
                ILaunchFactory.InitialBuyParams(address(_opening), 1),
                2 ether,
                DEADLINE,
                signature
            );
            uint256 launched = record("Opening", string.concat(name, ", floor"));
            assertLe(used, launched + 120_000);
            vm.revertToState(snapshot);
        }
        ILaunchFactory.LaunchParams memory last = _terms;
        last.salt = "salt";
        grindRandomly(last, true);
        uint256 bought = _opening.open(last, 2 ether, 1, _sign(last, address(_opening)));
        vm.warp(block.timestamp + 1);
        _recordClaim("first claim", alice, bought);
        _recordClaim("next claim", bob, bought);
    }

    function _recordClaim(string memory name, address account, uint256 bought) private {
        (, uint256 refund) = _opening.claimable(account);
        uint256 snapshot = vm.snapshotState();
        _opening.claim(account);
        assertLe(record("Opening", name), 75_000);
        vm.revertToState(snapshot);
        address token = _opening.token();
        deal(token, address(_payer), bought);
        vm.deal(address(_payer), 2 * refund);
        BarePayer.Payment[] memory payments = new BarePayer.Payment[](2);
        payments[0] = BarePayer.Payment(token, account, bought / 2);
        payments[1] = BarePayer.Payment(address(0), account, refund);
        _payer.pay(payments);
        record("Opening", string.concat(name, ", floor"));
        vm.revertToState(snapshot);
        _opening.claim(account);
    }

    function _deposit(address account) private {
        vm.prank(account);
        (bool success,) = address(_opening).call{value: 2 ether}("");
        assertTrue(success);
    }

    function _sign(ILaunchFactory.LaunchParams memory params, address recipient) private view returns (bytes memory) {
        bytes32 digest =
            factory.digestOf(creator, params, ILaunchFactory.InitialBuyParams(recipient, 1), 2 ether, DEADLINE);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(_creatorKey, digest);
        return abi.encodePacked(r, s, v);
    }
}

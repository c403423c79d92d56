// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {LaunchToken} from "../../src/LaunchToken.sol";
import {ILaunchToken} from "../../src/interfaces/ILaunchToken.sol";
import {Artifacts} from "../utils/Artifacts.sol";

contract LaunchTokenTest is Artifacts {
    bytes32 private constant PERMIT_TYPEHASH =
        keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");

    LaunchToken private token;
    address private holder = makeAddr("holder");

    function setUp() external {
        token = _deploy("Slip", "SLIP", "data:,");
    }

    function deployExternally(string memory contractURI) external {
        _deploy("", "", contractURI);
    }

    function test_WhenItIsCreated() external view {
        assertEq(token.totalSupply(), 1_000_000_000e18);
        assertEq(token.balanceOf(holder), 1_000_000_000e18);
        assertEq(token.decimals(), 18);
    }

    function test_WhenTextsOfDifferentLengthsAreSet() external {
        uint256[6] memory lengths = [uint256(0), 1, 31, 32, 33, 200];
        for (uint256 i; i < lengths.length; ++i) {
            for (uint256 j; j < lengths.length; ++j) {
                string memory name = _text(lengths[i], "n");
                string memory symbol = _text(lengths[j], "s");
                string memory uri = _text(lengths[(i + j) % 6], "u");
                token = _deploy(name, symbol, uri);
                assertEq(token.name(), name);
                assertEq(token.symbol(), symbol);
                assertEq(token.contractURI(), uri);
            }
        }
    }

    function test_WhenTheTextsExceedTheContractSizeLimit() external {
        vm.expectRevert(abi.encodeWithSelector(ILaunchToken.LaunchToken_MetadataTooLong.selector, 24_576, 24_575));
        this.deployExternally(_text(24_576, "u"));
        this.deployExternally(_text(24_575, "u"));
    }

    function test_WhenTokensAreTransferred() external {
        address to = makeAddr("to");
        vm.prank(holder);
        assertTrue(token.transfer(to, 5));
        assertEq(token.balanceOf(to), 5);
        vm.prank(to);
        token.approve(address(this), 4);
        assertTrue(token.transferFrom(to, address(this), 3));
        assertEq(token.allowance(to, address(this)), 1);
        assertEq(token.balanceOf(holder), 1_000_000_000e18 - 5);
    }

    function test_WhenAHolderSignsAPermit() external {
        (address owner, uint256 key) = makeAddrAndKey("owner");
        bytes32 structHash =
            keccak256(abi.encode(PERMIT_TYPEHASH, owner, address(this), 7, 0, block.timestamp));
        bytes32 digest = keccak256(abi.encodePacked(hex"1901", token.DOMAIN_SEPARATOR(), structHash));
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, digest);
        token.permit(owner, address(this), 7, block.timestamp, v, r, s);
        assertEq(token.allowance(owner, address(this)), 7);
        assertEq(token.nonces(owner), 1);
        vm.expectRevert();
        token.permit(owner, address(this), 7, block.timestamp, v, r, s);
    }

    function test_WhenAHolderOfATokenWithoutANameSignsAPermit() external {
        token = _deploy("", "SLIP", "data:,");
        (address owner, uint256 key) = makeAddrAndKey("owner");
        bytes32 domain = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256(""),
                keccak256("1"),
                block.chainid,
                address(token)
            )
        );
        assertEq(token.DOMAIN_SEPARATOR(), domain);
        bytes32 structHash =
            keccak256(abi.encode(PERMIT_TYPEHASH, owner, address(this), 7, 0, block.timestamp));
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, keccak256(abi.encodePacked(hex"1901", domain, structHash)));
        token.permit(owner, address(this), 7, block.timestamp, v, r, s);
        assertEq(token.allowance(owner, address(this)), 7);
    }

    function test_WhenTheDomainSeparatorIsRead() external view {
        bytes32 expected = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256("Slip"),
                keccak256("1"),
                block.chainid,
                address(token)
            )
        );
        assertEq(token.DOMAIN_SEPARATOR(), expected);
    }

    function test_GivenPermit2Exists() external view {
        assertEq(token.allowance(holder, 0x000000000022D473030F116dDEE9F6B43aC78BA3), 0);
    }

    function test_WhenTheFunctionsAreListed() external view {
        string memory json = vm.readFile("contracts/artifacts/LaunchToken.json");
        string[14] memory allowed = [
            "DOMAIN_SEPARATOR", "allowance", "approve", "balanceOf", "contractURI", "decimals", "name", "nonces",
            "permit", "symbol", "totalSupply", "transfer", "transferFrom", ""
        ];
        uint256 functions;
        for (uint256 i; vm.keyExistsJson(json, string.concat(".abi[", vm.toString(i), "]")); ++i) {
            string memory entry = string.concat(".abi[", vm.toString(i), "]");
            if (!_same(vm.parseJsonString(json, string.concat(entry, ".type")), "function")) continue;
            assertTrue(_same(vm.parseJsonString(json, string.concat(entry, ".name")), allowed[functions]));
            ++functions;
        }
        assertEq(functions, 13);
    }

    function _deploy(string memory name, string memory symbol, string memory uri) private returns (LaunchToken) {
        return LaunchToken(deploy("LaunchToken", abi.encode(name, symbol, uri, holder)));
    }

    function _text(uint256 length, bytes1 fill) private pure returns (string memory) {
        bytes memory text = new bytes(length);
        for (uint256 i; i < length; ++i) {
            text[i] = fill;
        }
        return string(text);
    }

    function _same(string memory a, string memory b) private pure returns (bool) {
        return keccak256(bytes(a)) == keccak256(bytes(b));
    }
}

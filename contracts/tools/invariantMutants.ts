// For each invariant, a change of the contracts that violates only this invariant. The key is the id in
// contracts/README.md. contracts/tools/testInvariants.ts runs the campaigns on each change.

export type InvariantMutant = {
  /** The campaign that must detect the change. */
  campaign: "MarketCampaign" | "SettlementCampaign" | "StationCampaign" | "VestingCampaign" | "OpeningCampaign";
  file: string;
  /** Source texts and their replacements. */
  changes: [find: string, replacement: string][];
};

const locker = "contracts/src/FeeLocker.sol";
const splitter = "contracts/src/FeeSplitter.sol";
const factory = "contracts/src/LaunchFactory.sol";
const station = "contracts/src/GasStation.sol";
const vesting = "contracts/src/Vesting.sol";
const opening = "contracts/src/Opening.sol";
const policy = "contracts/src/libraries/FeePolicy.sol";
const dead = "address(0xdead)";

const market = (file: string, ...changes: [string, string][]): InvariantMutant => ({
  campaign: "MarketCampaign",
  file,
  changes,
});
const settlement = (file: string, ...changes: [string, string][]): InvariantMutant => ({
  campaign: "SettlementCampaign",
  file,
  changes,
});
const ofStation = (...changes: [string, string][]): InvariantMutant => ({
  campaign: "StationCampaign",
  file: station,
  changes,
});
const ofVesting = (...changes: [string, string][]): InvariantMutant => ({
  campaign: "VestingCampaign",
  file: vesting,
  changes,
});
const ofOpening = (...changes: [string, string][]): InvariantMutant => ({
  campaign: "OpeningCampaign",
  file: opening,
  changes,
});

const burn = "pool.burn(tickLower, tickUpper, 0);";
const settleEvent = "        emit Settled(token, asset,";
const bookReleased = "        released_[index + 1] = SafeCastLib.toUint128(paid + amount);";
const claimableReturn =
  "return share == 0 ? 0 : _claim(asset, _released[asset][0], _released[asset][index + 1], share);";
const pullCall = "if (!SafeTransferLib.trySafeTransferFrom(quote.token, quote.wallet, to, quote.tokenAmount)) {";
const payOutCall = "        _payOut(quote.wallet, quote.nativeAmount);";

/** Changes only successful transfers, so that the owed amounts stay exact. */
function payOneLess(party: string, amount: string): [string, string] {
  const payment = `        _pay(token, asset, to.${party}, ${amount});`;
  const less = `if (${amount} < 2 || !TokenTransfer.trySend(asset, to.${party}, ${amount} - 1))`;
  return [payment, `        ${less} {\n    ${payment}\n        }`];
}

export const invariantMutants: Record<string, InvariantMutant> = {
  // Removes liquidity that other accounts added to the locker's position.
  I01: market(locker, [
    burn,
    `(, bytes memory state) = address(pool).staticcall(
            abi.encodeWithSignature(
                "positions(bytes32)", keccak256(abi.encodePacked(address(this), tickLower, tickUpper))
            )
        );
        pool.burn(tickLower, tickUpper, abi.decode(state, (uint128)) - launch.liquidity);`,
  ]),
  I02: market(locker, [
    "IUniswapV3Pool(pool).mint(address(this), tickLower, tickUpper, liquidity, abi.encode(token)",
    "IUniswapV3Pool(pool).mint(address(this), tickLower, tickUpper, liquidity - 1, abi.encode(token)",
  ]),
  I03: market(locker, ["tickLower: tickLower,", "tickLower: tickUpper,"]),
  I04: market(locker, ["pool: _poolOf(token, feeBps),", "pool: FACTORY,"]),
  // Credits the wrapped native to the launch that collected last.
  I05: market(
    locker,
    [
      "    address private transient _mintingPool;",
      "    address private transient _mintingPool;\n    address private _previous;",
    ],
    [
      "collected.quote = SafeCastLib.toUint120(collected.quote + quoteAmount);",
      `address credited = _previous == address(0) ? token : _previous;
        _previous = token;
        if (credited == token) collected.quote += uint120(quoteAmount);
        else _launches[credited].collected.quote += uint120(quoteAmount);`,
    ],
  ),
  I06: settlement(policy, [
    "collaborators = collected - protocolShare;",
    "collaborators = collected - protocolShare - (collected > 1_000 ? 1 : 0);",
  ]),
  I07: settlement(
    policy,
    ["protocol = protocolShare - partner;", "protocol = protocolShare - partner - (collected > 1_000 ? 1 : 0);"],
    [
      "collaborators = collected - protocolShare;",
      "collaborators = collected - protocolShare + (collected > 1_000 ? 1 : 0);",
    ],
  ),
  I08: settlement(policy, [
    "partner = protocolShare * partnerShareBps / BPS;",
    "partner = protocolShare * partnerShareBps / BPS;\n            if (partner > 10) partner -= 1;",
  ]),
  I09: settlement(locker, payOneLess("splitter", "collaboratorsAmount")),
  I10: settlement(locker, payOneLess("treasury", "protocolAmount")),
  I11: settlement(locker, payOneLess("partner", "partnerAmount")),
  I12: settlement(splitter, [
    "return _released[_bookedAs(asset)][0];",
    "return _released[_bookedAs(asset)][0] == 0 ? 0 : _released[_bookedAs(asset)][0] + 1;",
  ]),
  // Pays one unit to an account without a role.
  I13: settlement(splitter, [
    bookReleased,
    `${bookReleased}\n        if (asset != NATIVE) TokenTransfer.trySend(asset, ${dead}, 1);`,
  ]),
  // Rounds the first payee's claim up.
  I14: settlement(splitter, [
    "        if (amount == 0) return 0;",
    `        if (amount == 0) return 0;
        if (index == 0 && asset != NATIVE) {
            uint256 all = SafeTransferLib.balanceOf(asset, address(this)) + total;
            if (all * share % SplitterClone.TOTAL_SHARES != 0) amount += 1;
        }`,
  ]),
  I15: settlement(splitter, [claimableReturn, claimableReturn.replace(", share);", ", share) + 1;")]),
  I16: settlement(splitter, [
    claimableReturn,
    `uint256 claim = share == 0 ? 0 : _claim(asset, _released[asset][0], _released[asset][index + 1], share);
        return claim > 2 ? claim - 2 : 0;`,
  ]),
  I17: settlement(splitter, [
    "(payees[i], shares[i]) = SplitterClone.entryAt(entries, i);",
    "(payees[count - 1 - i], shares[i]) = SplitterClone.entryAt(entries, i);",
  ]),
  I18: settlement(splitter, [
    "        return _releaseAll(assets, msg.sender, to);",
    "        amounts = _releaseAll(assets, msg.sender, to);\n        payoutOf[msg.sender] = to;",
  ]),
  I19: market("contracts/src/SplitterFactory.sol", ["        isSplitter[splitter] = true;\n", ""]),
  I20: market("contracts/src/LaunchToken.sol", [
    "    /// @dev Saves `permit` from reading the name.",
    `    function _beforeTokenTransfer(address from, address, uint256) internal override {
        if (from != address(0)) _mint(${dead}, 1);
    }

    /// @dev Saves \`permit\` from reading the name.`,
  ]),
  // Pays one unit of a donation or of the supply's remainder to an account without a role.
  I21: market(locker, [settleEvent, `        TokenTransfer.trySend(asset, ${dead}, 1);\n${settleEvent}`]),
  // Swaps one unit less and refunds only more than one unit.
  I22: market(
    factory,
    ["int256(msg.value),", "int256(msg.value > 1 ? msg.value - 1 : msg.value),"],
    ["if (unspent != 0) {", "if (unspent > 1) {"],
  ),
  I23: settlement(locker, ["owed[asset][to] += amount;", "owed[asset][to] = amount;"]),
  // Pays the receiver one unit less than it books, and the unit to an account without a role.
  I24: settlement(splitter, [
    "TokenTransfer.trySend(asset, receiver, amount);",
    `(amount == 1 || TokenTransfer.trySend(asset, ${dead}, 1))
                    && TokenTransfer.trySend(asset, receiver, amount == 1 ? 1 : amount - 1);`,
  ]),
  I25: market(
    factory,
    ["deposit{value: msg.value}()", "deposit{value: msg.value > 1 ? msg.value - 1 : msg.value}()"],
    ["int256(msg.value),", "int256(msg.value > 1 ? msg.value - 1 : msg.value),"],
  ),
  I26: settlement(locker, [
    "        proposedTreasury = proposed;\n",
    "        proposedTreasury = proposed;\n        if (proposed != address(0)) treasury = proposed;\n",
  ]),
  I27: market(factory, [
    "        uint256 placed =\n",
    "        _partnerSharesBps[IFeeLocker(LOCKER).treasury()][params.partner] = 0;\n        uint256 placed =\n",
  ]),
  I28: settlement(locker, [
    "        emit Collected(token, tokenAmount, quoteAmount);",
    "        (tokenAmount, quoteAmount) = (quoteAmount, tokenAmount);",
  ]),
  I29: market(factory, ["if (msg.sender != _swappingPool) revert LaunchFactory_NotPool(msg.sender);", ""]),
  I30: ofStation([payOutCall, `${payOutCall}\n        SafeTransferLib.trySafeTransferETH(${dead}, 1, 50_000);`]),
  I31: ofStation(
    [pullCall, pullCall.replace("to, quote.tokenAmount)", "to, quote.tokenAmount - 1)")],
    [
      "        uint256 balanceAfter = IERC2612(quote.token).balanceOf(to);",
      `        SafeTransferLib.trySafeTransferFrom(quote.token, quote.wallet, ${dead}, 1);
        uint256 balanceAfter = IERC2612(quote.token).balanceOf(to) + 1;`,
    ],
  ),
  I32: ofStation([
    payOutCall,
    `        if (quote.nativeAmount > 1) {
            _payOut(quote.wallet, quote.nativeAmount - 1);
            SafeTransferLib.trySafeTransferETH(${dead}, 1, 50_000);
        } else {
            _payOut(quote.wallet, quote.nativeAmount);
        }`,
  ]),
  I33: ofStation([
    "        uint256 balanceAfter = IERC2612(quote.token).balanceOf(to);",
    `        SafeTransferLib.trySafeTransferFrom(quote.token, quote.wallet, ${dead}, 1);
        uint256 balanceAfter = IERC2612(quote.token).balanceOf(to);`,
  ]),
  I34: ofStation([
    payOutCall,
    `${payOutCall}\n        quote.token.call(abi.encodeWithSignature("transfer(address,uint256)", ${dead}, 1));`,
  ]),
  I35: ofStation(["return _used[word] & bit != 0;", "return _used[word] & (bit | bit << 1) != 0;"]),
  I36: ofStation(["        relayer = relayer_;\n", "        if (relayer == address(0)) relayer = relayer_;\n"]),
  I37: ofStation([
    "function setPaused(bool paused_) external onlyOwner {",
    "function setPaused(bool paused_) external {",
  ]),
  // Pays the beneficiary one unit less than it books, and the unit to an account without a role.
  I38: ofVesting([
    "if (!TokenTransfer.trySend(token, to, amount))",
    `if (!TokenTransfer.trySend(token, ${dead}, 1) || !TokenTransfer.trySend(token, to, amount - 1))`,
  ]),
  I39: ofVesting(["FixedPointMathLib.fullMulDiv(", "FixedPointMathLib.fullMulDivUp("]),
  I40: ofVesting([
    "if (block.timestamp <= cliff_) return 0;",
    "if (block.timestamp <= cliff_ || block.timestamp % 2 == 1) return 0;",
  ]),
  I41: ofOpening(["return _accounts[account].deposit;", "return _accounts[account].deposit / 2;"]),
  // Pays the account one unit less than it books, and the unit to an account without a role.
  I42: ofOpening([
    "if (refund != 0 && !SafeTransferLib.trySafeTransferETH(to, refund, gasleft())) {",
    `if (refund != 0) SafeTransferLib.safeTransferETH(${dead}, 1);
        if (refund > 1 && !SafeTransferLib.trySafeTransferETH(to, refund - 1, gasleft())) {`,
  ]),
  I43: ofOpening([
    "tokens = received * deposit_ / book.total;",
    "tokens = FixedPointMathLib.fullMulDivUp(received, deposit_, book.total);",
  ]),
  I44: ofOpening(["(book.total - book.spent) / book.total;", "(book.total - book.spent) / book.total / 2;"]),
};

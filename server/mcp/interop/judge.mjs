// Judges what the suite wrote by the table scenarios.json.
//
//   node judge.mjs RESULTS      RESULTS/REVISION/server-SCENARIO-TIME/checks.json
//
// Every scenario that ran must stand in the table: counted, or left out with a reason. A counted one fails by any
// failed check without an excuse, and by not having run. Ends with 1 if something failed.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const results = process.argv[2];
const table = JSON.parse(readFileSync(new URL('scenarios.json', import.meta.url), 'utf8'));
const leftOut = new Set(Object.values(table.left_out).flat());
let failed = 0;
const fail = (line) => { failed++; console.log(`  FAIL  ${line}`); };

function ran(revision) {
  const found = new Map();
  for (const name of readdirSync(join(results, revision))) {
    const scenario = /^server-(.+)-\d{4}-\d\d-\d\dT/.exec(name)?.[1];
    if (scenario) found.set(scenario, JSON.parse(readFileSync(join(results, revision, name, 'checks.json'), 'utf8')));
  }
  return found;
}

const reason = (check) => String(check.errorMessage ?? check.details?.message ?? check.description).split('\n')[0];

// judge prints one counted scenario; excuses maps the ids of checks to reasons.
function judge(scenario, checks, excuses) {
  const of = (status) => checks.filter((check) => check.status === status);
  const guilty = of('FAILURE').filter((check) => !excuses[check.id]);
  const excused = of('FAILURE').length - guilty.length;
  for (const { id } of of('SUCCESS')) if (excuses[id]) console.log(`  note  ${scenario}: ${id} passes now and needs no excuse`);
  if (guilty.length === 0) {
    const passed = of('SUCCESS').length ? `${of('SUCCESS').length} checks` : 'the suite found nothing to check';
    console.log(`  ok    ${scenario}: ${passed}${excused ? `, ${excused} excused` : ''}`);
  }
  for (const check of guilty) fail(`${scenario}: ${check.id}: ${reason(check)}`);
  for (const check of of('WARNING')) console.log(`  note  ${scenario}: ${check.id}: ${reason(check)}`);
}

let counted = 0;
for (const [revision, scenarios] of Object.entries(table.counted)) {
  console.log(revision);
  const found = ran(revision);
  for (const scenario of scenarios) {
    counted++;
    if (found.has(scenario)) judge(scenario, found.get(scenario), table.excused[scenario] ?? {});
    else fail(`${scenario}: did not run`);
  }
  const others = [...found.keys()].filter((scenario) => !scenarios.includes(scenario));
  for (const scenario of others) if (!leftOut.has(scenario)) fail(`${scenario}: neither counted nor left out with a reason`);
  console.log(`  ${scenarios.length} counted, ${others.length} left out`);
}
console.log(`suite: ${counted} counted scenarios, ${failed} failures`);
process.exitCode = failed ? 1 : 0;

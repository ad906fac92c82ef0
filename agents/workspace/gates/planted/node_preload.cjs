// Loaded by Node inside the sandbox before anything of the project: plants tests in every file that `node --test` runs.
'use strict';
const path = require('node:path');
const plan = require(path.join(__dirname, 'plan.json'));
const mark = `PLANTED_${plan.module}`; // a program that a test starts is no file of tests
if (process.env.NODE_TEST_CONTEXT && !process.env[mark]) {
  process.env[mark] = '1';
  // After the file and what it loads, which may have been at node:test or node:assert.
  const planted = () => {
    const test = require('node:test');
    const assert = require('node:assert');
    const file = process.argv[1];
    test(`${plan.fails} ${file}`, () => assert.strictEqual(plan.total, plan.total + 1));
    test(`${plan.passes} ${file}`, () => assert.strictEqual(plan.total, plan.total));
  };
  setImmediate(planted);
}

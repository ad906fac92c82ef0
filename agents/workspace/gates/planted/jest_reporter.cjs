// The reporter of jest inside the sandbox, in the process that runs none of the tests' own modules.
'use strict';
const { tell, end } = require('./js_line.cjs');
const outcome = { passed: 'passed', failed: 'failed' };

module.exports = class {
  onTestResult(test, result) {
    for (const each of result.testResults)
      tell(result.testFilePath, each.fullName, outcome[each.status] || 'skipped', each.failureMessages);
    if (result.testExecError) tell(result.testFilePath, 'the file', 'failed', [result.failureMessage]);
  }

  async onRunComplete(contexts, results) {
    if (results.runExecError) tell('', 'the run', 'failed', [results.runExecError.message]);
    await end();
  }
};

// The reporter of mocha inside the sandbox.
'use strict';
const { tell, end } = require('./js_line.cjs');

module.exports = class {
  constructor(runner) {
    const file = (test) => test.file || (test.parent && file(test.parent)) || '';
    runner.on('pass', (test) => tell(file(test), test.fullTitle(), 'passed'));
    runner.on('pending', (test) => tell(file(test), test.fullTitle(), 'skipped'));
    runner.on('fail', (test, problem) => tell(file(test), test.fullTitle(), 'failed', [problem?.stack || problem]));
  }

  done(failures, finish) {
    end().then(() => finish(failures));
  }
};

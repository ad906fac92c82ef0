// The reporter of vitest inside the sandbox, in the process that runs none of the tests.
import { createRequire } from 'node:module';

const { tell, end } = createRequire(import.meta.url)('./js_line.cjs');
const outcome = { passed: 'passed', failed: 'failed', pass: 'passed', fail: 'failed' };
const full = (task) => (task.suite?.name ? `${full(task.suite)} ${task.name}` : task.name);

function older(file, tasks) {
  for (const task of tasks) {
    if (task.tasks) older(file, task.tasks);
    else tell(file, full(task), outcome[task.result?.state] || 'skipped', (task.result?.errors ?? []).map(words));
  }
}

const words = (problem) => problem?.stack || problem?.message || String(problem);

export default class {
  async onFinished(files, errors) {
    if (this.ended) return;
    this.ended = true;
    for (const file of files) {
      older(file.filepath, file.tasks);
      if (file.result?.errors?.length) tell(file.filepath, 'the file', 'failed', file.result.errors.map(words));
    }
    await this.close(errors);
  }

  async onTestRunEnd(modules, errors) {
    if (this.ended) return;
    this.ended = true;
    for (const each of modules) {
      for (const test of each.children.allTests()) {
        const { state, errors: found } = test.result();
        tell(each.moduleId, test.fullName, outcome[state] || 'skipped', (found ?? []).map(words));
      }
      for (const problem of each.errors()) tell(each.moduleId, 'the file', 'failed', [words(problem)]);
    }
    await this.close(errors);
  }

  async close(errors = []) {
    for (const problem of errors) tell('', 'the run', 'failed', [words(problem)]);
    await end();
  }
}

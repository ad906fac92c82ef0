// What the reporters for mocha, jest and vitest share: tells the host of each test, and shows all but the planted ones.
// It is loaded by the runner before any file of the project is.
'use strict';
const net = require('node:net');
const path = require('node:path');
const plan = require('./plan.json');

const line = net.connect(plan.socket);
line.on('error', () => {});
const write = line.write.bind(line);
const json = JSON.stringify;
const say = process.stdout.write.bind(process.stdout);
const tell = (...words) => write(`${json(words)}\n`);
const counts = { passed: 0, failed: 0, skipped: 0 };

exports.tell = (file, name, outcome, messages = []) => {
  const kind = ['fails', 'passes'].find((each) => name === plan[each] || name.endsWith(` ${plan[each]}`));
  const about = path.relative(process.cwd(), file || '');
  tell(kind || 'real', about, outcome, false);
  if (kind) return;
  counts[outcome] += 1;
  say(`${{ passed: 'ok', failed: 'not ok', skipped: 'skipped' }[outcome]} - ${about}: ${name}\n`);
  const own = (text) => String(text).split('\n').filter((each) => !/^\s+at .*node_modules/.test(each));
  for (const each of messages) say(`${own(each).join('\n')}\n`);
};

exports.end = () => {
  say(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`);
  tell('end');
  return new Promise((resolve) => line.end(resolve));
};

// The reporter of `node --test` inside the sandbox: tells the host of each test, and shows all but the planted ones.
// It runs in a process that loads nothing of the project.
import { readFileSync } from 'node:fs';
import net from 'node:net';
import { Readable } from 'node:stream';
import { spec as Spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';

const plan = JSON.parse(readFileSync(fileURLToPath(new URL('./plan.json', import.meta.url)), 'utf8'));
const line = net.connect(plan.socket);
line.on('error', () => {});
const tell = (...words) => line.write(`${JSON.stringify(words)}\n`);
const outcome = { 'test:pass': 'passed', 'test:fail': 'failed' };
const hidden = { tests: 0, pass: 0, fail: 0 };

async function* shown(source) {
  const files = new Set();
  for await (const event of source) {
    const { name, file, nesting, skip, todo, details, message } = event.data ?? {};
    const kind = ['fails', 'passes'].find((each) => nesting === 0 && name?.startsWith(`${plan[each]} `));
    if (kind) {
      if (outcome[event.type]) {
        tell(kind, name.slice(plan[kind].length + 1), outcome[event.type], false);
        hidden.tests += 1;
        hidden[event.type === 'test:pass' ? 'pass' : 'fail'] += 1;
      }
      continue;
    }
    if (outcome[event.type] && details?.type !== 'suite') {
      const left = skip !== undefined || todo !== undefined;
      tell('real', file ?? '', left ? 'skipped' : outcome[event.type], false);
      files.add(file ?? '');
    }
    const [, what, count] = event.type === 'test:diagnostic' ? /^(tests|pass|fail) (\d+)$/.exec(message) ?? [] : [];
    yield what ? { ...event, data: { ...event.data, message: `${what} ${count - hidden[what]}` } } : event;
  }
  tell('plan', files.size, [...files]);
  tell('end');
  await new Promise((resolve) => line.end(resolve));
}

export default async function* report(source) {
  yield* Readable.from(shown(source)).compose(new Spec());
}

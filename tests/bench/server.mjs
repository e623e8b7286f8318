// A server that is measured: started as a process of its own, and its CPU time by Linux's accounting.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const children = [];
process.once('exit', () => children.forEach(child => child.kill('SIGTERM')));

/** Starts a server that prints {"url","pid"[,"tokens"]}; `pid` is that of workerd. */
export async function start(name, cwd, args, tokens) {
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const [line] = await once(createInterface(child.stdout), 'line');
  return { name, child, tokens, ...JSON.parse(line) };
}

/** The CPU time of all threads of a process so far. Ended threads are not counted; workerd keeps its own. */
export function cpuMicroseconds(pid) {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map(thread => parseInt(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8'), 10));
  return nanoseconds.reduce((sum, time) => sum + time, 0) / 1000;
}

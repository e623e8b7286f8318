// The table of a benchmark: medians over the rounds, and the medians of the ratios of what was measured in one round.

export const median = numbers => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

const of = (slices, metric) => median(slices.map(slice => slice[metric]));

function ratio(slices, others) {
  return median(slices.map((slice, round) => slice.cpu / others[round].cpu)).toFixed(2);
}

/** A Markdown table with a line for each row: this Worker's numbers, and its CPU as a multiple of the others'. */
export function table(rows) {
  const others = rows[0].results.map(({ target }) => target).filter(target => target !== 'codex');
  const lines = rows.map(({ workload, bytes, concurrency, results }) => {
    const slices = target => results.find(result => result.target === target).slices;
    const codex = slices('codex');
    return [
      workload,
      bytes,
      concurrency,
      of(codex, 'cpu').toFixed(0),
      of(codex, 'latency').toFixed(2),
      of(codex, 'perSecond').toFixed(0),
      of(codex, 'trips').toFixed(0),
      ...others.flatMap(other => [of(slices(other), 'cpu').toFixed(0), of(slices(other), 'trips').toFixed(0), ratio(codex, slices(other))]),
    ];
  });
  const header = ['call', 'bytes', 'connections', 'CPU µs', 'p50 ms', 'per s', 'trips'];
  header.push(...others.flatMap(other => [`${other} µs`, 'trips', `÷ ${other}`]));
  const all = [header, header.map(() => '---'), ...lines];
  return all.map(line => `| ${line.join(' | ')} |`).join('\n');
}

/**
 * Loaded with `--import` before all else, it makes the clocks of a process wrong by
 * `CLOCK_SKEW_MS`: what the time is, and how long the process has been running.
 */
const skewMs = Number(process.env['CLOCK_SKEW_MS'])
const [dateNow, performanceNow] = [Date.now, performance.now.bind(performance)]

Date.now = () => dateNow() + skewMs
performance.now = () => performanceNow() + skewMs
globalThis.Date = new Proxy(Date, {
  construct: (date, words, newTarget) =>
    Reflect.construct(date, words.length === 0 ? [date.now()] : words, newTarget),
})

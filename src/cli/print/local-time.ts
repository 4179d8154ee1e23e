/** In the time zone of whoever reads, such as `2026-11-30 17:05:09`: what is stored is UTC. */
export function localTime(at: string): string {
  const time = new Date(at)
  if (Number.isNaN(time.getTime())) return 'at an unknown time'
  const two = (value: number) => String(value).padStart(2, '0')
  const day = [time.getFullYear(), time.getMonth() + 1, time.getDate()].map(two).join('-')
  return `${day} ${[time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(':')}`
}

export function localMinute(at: string): string {
  return localTime(at).replace(/:\d\d$/, '')
}

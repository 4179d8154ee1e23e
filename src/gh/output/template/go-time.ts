// Go's time format: a layout shows how Mon Jan 2 15:04:05 MST 2006 would look. Always in UTC, like GitHub's times.

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const two = (number: number) => String(number).padStart(2, '0')
const hour12 = (date: Date) => date.getUTCHours() % 12 || 12

const PARTS: Record<string, (date: Date) => string> = {
  January: (date) => MONTHS[date.getUTCMonth()]!,
  Jan: (date) => MONTHS[date.getUTCMonth()]!.slice(0, 3),
  Monday: (date) => DAYS[date.getUTCDay()]!,
  Mon: (date) => DAYS[date.getUTCDay()]!.slice(0, 3),
  MST: () => 'UTC',
  '2006': (date) => String(date.getUTCFullYear()),
  '-07:00': () => '+00:00',
  '-0700': () => '+0000',
  'Z07:00': () => 'Z',
  '.000': (date) => `.${String(date.getUTCMilliseconds()).padStart(3, '0')}`,
  '01': (date) => two(date.getUTCMonth() + 1),
  '02': (date) => two(date.getUTCDate()),
  '03': (date) => two(hour12(date)),
  '04': (date) => two(date.getUTCMinutes()),
  '05': (date) => two(date.getUTCSeconds()),
  '06': (date) => two(date.getUTCFullYear() % 100),
  '15': (date) => two(date.getUTCHours()),
  PM: (date) => (date.getUTCHours() < 12 ? 'AM' : 'PM'),
  pm: (date) => (date.getUTCHours() < 12 ? 'am' : 'pm'),
  _2: (date) => String(date.getUTCDate()).padStart(2),
  '1': (date) => String(date.getUTCMonth() + 1),
  '2': (date) => String(date.getUTCDate()),
  '3': (date) => String(hour12(date)),
  '4': (date) => String(date.getUTCMinutes()),
  '5': (date) => String(date.getUTCSeconds()),
}
const PART = new RegExp(
  Object.keys(PARTS)
    .sort((a, b) => b.length - a.length)
    .map((part) => part.replace('.', '\\.'))
    .join('|'),
  'g',
)

export function formatGoTime(layout: string, date: Date): string {
  return layout.replace(PART, (part) => PARTS[part]!(date))
}

const UNITS: ReadonlyArray<readonly [name: string, seconds: number]> = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]

export function timeAgo(date: Date, now: Date): string {
  const seconds = Math.floor((now.getTime() - date.getTime()) / 1000)
  for (const [name, length] of UNITS) {
    const count = Math.floor(seconds / length)
    if (count > 0) return `about ${count} ${name}${count === 1 ? '' : 's'} ago`
  }
  return 'less than a minute ago'
}

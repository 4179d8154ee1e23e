// The dashboard's own icons: 16 by 16, drawn in the text colour. They carry no meaning without a label.
import type { SVGProps } from 'react'

const PATHS = {
  clip: 'M13 7.5 8 12.5a3 3 0 0 1-4.25-4.25l5.25-5.25a2 2 0 0 1 2.85 2.85L6.75 11a1 1 0 0 1-1.4-1.4L10 5',
  board: 'M2.5 3h3v10h-3zM6.5 3h3v6h-3zM10.5 3h3v8h-3z',
  pull: 'M4.5 5.5v5M4.5 5.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3ZM4.5 13.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3ZM11.5 13.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3ZM11.5 10.5V6a1.5 1.5 0 0 0-1.5-1.5H8m0 0 1.75-1.75M8 4.5l1.75 1.75',
  merge:
    'M4.5 5.5v5M4.5 5.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3ZM4.5 13.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3ZM11.5 9.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3ZM4.5 5.5c0 1.5 2 2.5 5.5 2.5',
  branch:
    'M4.5 5.5v5M4.5 5.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3ZM4.5 13.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3ZM11.5 5.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3ZM11.5 5.5c0 3-7 2-7 5',
  issue: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 9a1 1 0 1 0 0-2 1 1 0 0 0 0 2Z',
  pulse: 'M1.5 8.5h2.75L6.5 3.5l3 9 2-4h3',
  radar: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM8 8l4.25-4.25',
  inbox: 'M2 9.5 4 3h8l2 6.5V13H2zM2 9.5h3.5L6.5 11h3l1-1.5H14',
  archive: 'M2 3h12v3H2zM3 6v7h10V6M6.5 8.5h3',
  gear: 'M8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM8 1.75v2M8 12.25v2M1.75 8h2M12.25 8h2M3.6 3.6 5 5M11 11l1.4 1.4M12.4 3.6 11 5M5 11l-1.4 1.4',
  check: 'm3 8.5 3.25 3.25L13 5',
  cross: 'm4 4 8 8M12 4l-8 8',
  clock: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 5v3.25l2.25 1.5',
  hand: 'M5 8.5V4a1 1 0 0 1 2 0v3M7 7V3a1 1 0 0 1 2 0v4M9 7V3.75a1 1 0 0 1 2 0V9M5 8.25 4 7.1a1 1 0 0 0-1.55 1.25l2.3 3.6A3.5 3.5 0 0 0 7.7 13.5H8.5A2.5 2.5 0 0 0 11 11V8',
  eye: 'M1.5 8S4 3.75 8 3.75 14.5 8 14.5 8 12 12.25 8 12.25 1.5 8 1.5 8ZM8 9.75a1.75 1.75 0 1 0 0-3.5 1.75 1.75 0 0 0 0 3.5Z',
  warning: 'M8 2.5 14.25 13H1.75zM8 6.5v3M8 11.25v.01',
  stop: 'M4 4h8v8H4z',
  play: 'M5 3.25 12.5 8 5 12.75z',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  skull: 'M8 2a5 5 0 0 0-5 5c0 2 1 3.25 2 4v2.5h6V11c1-.75 2-2 2-4a5 5 0 0 0-5-5ZM6 8v.01M10 8v.01M7 13.5V12M9 13.5V12',
  send: 'M14 2 7 9M14 2 9.5 14 7 9 2 6.5z',
  reply: 'M6.5 4 2.5 8l4 4M2.5 8H10a3.5 3.5 0 0 1 3.5 3.5V13',
  restore: 'M3 8a5 5 0 1 0 1.6-3.7M4.75 1.75v2.75H7.5',
  plus: 'M8 3v10M3 8h10',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10ZM10.75 10.75 14 14',
  more: 'M3.5 8v.01M8 8v.01M12.5 8v.01',
  sun: 'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM8 1.5V3M8 13v1.5M1.5 8H3M13 8h1.5M3.4 3.4l1.05 1.05M11.55 11.55l1.05 1.05M12.6 3.4l-1.05 1.05M4.45 11.55 3.4 12.6',
  moon: 'M13.5 9.75A6 6 0 0 1 6.25 2.5a6 6 0 1 0 7.25 7.25Z',
  screen: 'M2 3h12v8H2zM6 13.5h4M8 11v2.5',
  external: 'M6.5 3.5h-3v9h9v-3M9 2.5h4.5V7M13.5 2.5 7.5 8.5',
  copy: 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z',
  down: 'm4 6 4 4 4-4',
  first: 'M4 3h8M4 9l4-4 4 4M8 5v8',
  right: 'm6 4 4 4-4 4',
  terminal: 'M2 3h12v10H2zM4.5 6l2 2-2 2M8 10.5h3',
  chat: 'M2.5 3h11v8H8l-3 2.5V11H2.5z',
  diff: 'M8 2.5v6M5 5.5h6M5 12.5h6',
  list: 'M5.5 4H14M5.5 8H14M5.5 12H14M2.5 4v.01M2.5 8v.01M2.5 12v.01',
  info: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 7.5V11M8 5v.01',
  tool: 'M9.5 5.5a3 3 0 0 1 4-2.8L11.75 4.5 13 5.75 14.8 4a3 3 0 0 1-3.9 3.9L5.5 13.3a1.3 1.3 0 0 1-1.85-1.85L9.05 6A3 3 0 0 1 9.5 5.5Z',
  robot: 'M3 6h10v7H3zM8 6V3M8 3v-.01M5.75 9v.01M10.25 9v.01M6 11h4',
  offline:
    'M2 2l12 12M4.5 8.25a5 5 0 0 1 1.9-1.2M11.5 8.25a5 5 0 0 0-2.4-1.35M2.5 5.75a8 8 0 0 1 1.9-1.3M13.5 5.75A8 8 0 0 0 7.2 3.6M8 12v.01',
  keyboard: 'M1.5 4h13v8h-13zM4 6.5v.01M6.5 6.5v.01M9 6.5v.01M11.5 6.5v.01M5 9.5h6',
  edit: 'M10.75 2.75 13.25 5.25 5.5 13H3v-2.5z',
  pin: 'M5.5 2h5M6.5 2v4.5L4 9.5h8L9.5 6.5V2M8 9.5V14',
  filter: 'M2 3.5h12L9.5 8.5v4.25l-3 1.25V8.5z',
} as const

export type IconName = keyof typeof PATHS

interface Props extends SVGProps<SVGSVGElement> {
  name: IconName
}

export function Icon({ name, className = '', ...rest }: Props) {
  return (
    <svg
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className={`size-4 shrink-0 ${className}`}
      {...rest}
    >
      <path d={PATHS[name]} />
    </svg>
  )
}

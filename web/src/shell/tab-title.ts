// The browser's tab: how many need you, in the title and in the icon.
import { visibleLine } from '../../../src/core/text/visible-text.ts'

/** Why the number is unknown at the moment. */
type TabExcuse = 'paused' | 'offline'

let page = 'ao'
let needing: number | TabExcuse = 0

export function setPageTitle(title: string): void {
  page = visibleLine(title)
  draw()
}

export function setNeedingCount(count: number | TabExcuse): void {
  needing = count
  draw()
}

function draw(): void {
  const title = page === 'ao' ? 'ao' : `${page} · ao`
  document.title = needing === 0 ? title : `(${needing}) ${title}`
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
  const href = `/icon-${iconName()}.svg`
  if (icon && icon.getAttribute('href') !== href) icon.setAttribute('href', href)
}

function iconName(): string {
  if (typeof needing !== 'number') return '0'
  return needing > 9 ? 'more' : String(needing)
}

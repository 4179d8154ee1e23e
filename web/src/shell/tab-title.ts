// The browser's tab: how many need you, in the title and in the icon.
let page = 'ao'
let needing = 0

export function setPageTitle(title: string): void {
  page = title
  draw()
}

export function setNeedingCount(count: number): void {
  needing = count
  draw()
}

function draw(): void {
  const title = page === 'ao' ? 'ao' : `${page} · ao`
  document.title = needing > 0 ? `(${needing}) ${title}` : title
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
  const href = `/icon-${needing > 9 ? 'more' : needing}.svg`
  if (icon && icon.getAttribute('href') !== href) icon.setAttribute('href', href)
}

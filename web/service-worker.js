// Notifications only: it answers no request of the page and keeps no copy of anything. What it is sent is encrypted for this
// browser by ao itself; paths in it are paths of this very server.

self.addEventListener('install', () => self.skipWaiting())
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))

self.addEventListener('push', (event) => event.waitUntil(show(event.data?.json() ?? {})))

self.addEventListener('notificationclick', (event) => {
  const { notification, action } = event
  const { path, answers = [] } = notification.data ?? {}
  notification.close()
  const answer = answers.find(({ url }) => url === action)
  event.waitUntil(answer === undefined ? open(path ?? '/queue') : give(answer, notification))
})

/** @param {{ title?: string, body?: string, path?: string, tag?: string, answers?: Array<{ label: string, url: string }>, stays?: boolean, silent?: boolean }} message */
function show({ title = 'ao', body = '', path = '/queue', tag = 'ao', answers = [], stays = false, silent = false }) {
  return self.registration.showNotification(title, {
    body,
    tag,
    renotify: !silent,
    silent,
    requireInteraction: stays,
    icon: '/app-icon-192.png',
    data: { path: ownPath(path), answers: answers.map(({ label, url }) => ({ label, url: ownPath(url) })) },
    // Browsers show two; a click beside them opens the session.
    actions: answers.map(({ label, url }) => ({ action: ownPath(url), title: label })),
  })
}

/** The link itself is the permission to give this one answer. */
async function give({ label, url }, { title, data, tag }) {
  const response = await fetch(url, { method: 'POST' }).catch(() => null)
  const outcome = response?.ok
    ? `${label}: done`
    : response === null
      ? 'Nothing was done: ao cannot be reached from here.'
      : 'Nothing was done: somebody answered, or its time ran out.'
  return show({ title, body: outcome, path: data.path, tag, silent: true })
}

async function open(path) {
  const pages = await self.clients.matchAll({ type: 'window' })
  const page = pages.find(({ url }) => new URL(url).pathname === path) ?? pages[0]
  if (page === undefined) return self.clients.openWindow(path)
  await page.focus()
  if (new URL(page.url).pathname !== path) await page.navigate(path)
}

/** Never another server, whatever the message says. */
function ownPath(path) {
  const { origin, pathname, search } = new URL(path, self.location.origin)
  return origin === self.location.origin ? `${pathname}${search}` : '/queue'
}

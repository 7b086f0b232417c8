// A page that was opened from a disk gets neither a worker nor another file from the browser, so
// that nothing could be searched: the index comes as a script, and the worker is a frame.
if (location.protocol === 'file:') {
  const script = document.createElement('script')
  script.src = new URL('search/search_index.js', document.currentScript.src)
  window.__search = {index: new Promise(found => { window.searchIndex = found })}
  document.head.append(script)

  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      const frame = document.createElement('iframe')
      this.ready = new Promise(loaded => { frame.onload = () => loaded(frame.contentWindow) })
      frame.hidden = true
      frame.srcdoc = `<script src="${url}"></script>`
      document.body.append(frame)
      this.ready.then(inside => {
        inside.postMessage = data => this.dispatchEvent(new MessageEvent('message', {data}))
      })
    }

    postMessage(data) {
      this.ready.then(inside => inside.dispatchEvent(new MessageEvent('message', {data})))
    }
  }
}

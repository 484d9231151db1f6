// Lets the manual be searched where it is opened from disk. The search runs in a worker, and browsers start none from a
// file; there a hidden frame runs the same script and takes and gives the same messages. Behind a server nothing changes.
(() => {
  if (location.protocol !== "file:") return

  class FrameWorker extends EventTarget {
    #frame = document.createElement("iframe")
    #loaded

    constructor(url) {
      super()
      this.#frame.hidden = true
      document.documentElement.append(this.#frame)
      const inside = this.#frame.contentWindow
      inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }))
      this.#loaded = new Promise((done, failed) => {
        const script = inside.document.createElement("script")
        script.onload = done
        script.onerror = () => failed(new Error(`could not load ${url}`))
        script.src = url
        inside.document.body.append(script)
      })
    }

    postMessage(data) {
      this.#loaded.then(() => {
        const inside = this.#frame.contentWindow
        inside.dispatchEvent(new inside.MessageEvent("message", { data }))
      })
    }

    terminate() {
      this.#frame.remove()
    }
  }

  window.Worker = FrameWorker
})()

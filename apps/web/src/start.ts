import "./styles.css";
// The libraries of every page, which this file evaluates.
import "@tanstack/react-query";
import "@tanstack/react-router";
import "react-dom/client";

// The site's own code is evaluated in the next task, so that a slow phone responds in between. The HTML names its files,
// so that the browser has requested them already.
setTimeout(() => void import("./main.tsx"));

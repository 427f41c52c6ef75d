// The form of the search on other pages: Return searches, as in a field of one line.

const field = document.querySelector("#q");
field.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !field.value.includes("\n")) {
    event.preventDefault();
    field.form.requestSubmit();
  }
});
